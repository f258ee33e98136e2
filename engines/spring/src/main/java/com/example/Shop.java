package com.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

/**
 * A web application on embedded Tomcat, at a free port that it writes to the file {@code port}. It
 * ends with its standard input.
 */
@SpringBootApplication
public class Shop {

  public static void main(String[] arguments) throws IOException {
    ApplicationContext shop = SpringApplication.run(Shop.class, arguments);
    System.in.readAllBytes();
    System.exit(SpringApplication.exit(shop));
  }

  @EventListener
  void listening(WebServerInitializedEvent event) throws IOException {
    Path written = Path.of("port.new");
    Files.writeString(written, Integer.toString(event.getWebServer().getPort()));
    Files.move(written, Path.of("port"), StandardCopyOption.ATOMIC_MOVE);
  }
}
