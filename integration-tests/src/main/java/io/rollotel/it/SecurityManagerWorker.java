package io.rollotel.it;

import io.rollotel.annotations.Register;
import java.lang.reflect.Proxy;
import java.security.Permission;

/** A program with a security manager, of its own or of the JDK. */
@SuppressWarnings("removal")
public final class SecurityManagerWorker {

  private SecurityManagerWorker() {}

  /** With an argument, the manager is its own. */
  public static void main(String[] arguments) throws ClassNotFoundException {
    if (arguments.length > 0) {
      Class.forName(Rules.class.getName()); // the manager would be asked for its class file
      System.setSecurityManager(new Refusing());
    }
    train(Payload.traced());
    Rules.strict = true;
    try {
      int methods = Thread.class.getDeclaredMethods().length;
      System.out.println(methods > 0 ? "reflection is allowed" : "no method");
    } catch (SecurityException e) {
      System.out.println(e.getMessage());
    } finally {
      Rules.strict = false;
    }
    Runnable proxy =
        (Runnable)
            Proxy.newProxyInstance(
                SecurityManagerWorker.class.getClassLoader(),
                new Class<?>[] {Runnable.class},
                (object, method, values) -> {
                  System.out.println("the proxy has run");
                  return null;
                });
    proxy.run();
    train(Payload.traced());
  }

  @Register(trace = true)
  private static void train(Payload payload) {
    System.out.println("trained");
  }

  /** Asks others, as many do. */
  static final class Refusing extends SecurityManager {

    @Override
    public void checkPermission(Permission asked) {
      Rules.allow(asked);
    }
  }

  /** Refuses reflection while the program says so. */
  static final class Rules {

    static volatile boolean strict;

    private Rules() {}

    static void allow(Permission asked) {
      if (strict && asked.getName().equals("accessDeclaredMembers")) {
        throw new SecurityException("no reflection");
      }
    }
  }
}
