package com.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;

/** A web application on embedded Tomcat, at a free port that it writes to the file {@code port}. */
@SpringBootApplication
public class Shop {

  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }

  @EventListener
  void listening(WebServerInitializedEvent event) throws IOException {
    Path written = Path.of("port.new");
    Files.writeString(written, Integer.toString(event.getWebServer().getPort()));
    Files.move(written, Path.of("port"), StandardCopyOption.ATOMIC_MOVE);
  }
}
