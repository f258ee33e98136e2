package fixtures;

import io.rollotel.annotations.Register;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.util.function.Supplier;

/** Serializable without a serialVersionUID: the JVM makes one up from the members there are. */
public class Serial {

  static final int INITIALISED = Integer.getInteger("none", 7);

  static class Plain implements Serializable {
    private int field = INITIALISED;

    @Register(trace = true)
    int work(int n) {
      Supplier<Integer> lambda = () -> n + field;
      return lambda.get();
    }

    @Register
    private static void untraced() {}
  }

  interface Face extends Serializable {
    @Register(trace = true)
    default int work(int n) {
      return n;
    }
  }

  public static String ofAClass() {
    new Plain().work(1);
    Plain.untraced();
    return "" + ObjectStreamClass.lookup(Plain.class).getSerialVersionUID();
  }

  public static String ofAClassOfAnInterface() {
    Face face = new Face() {};
    face.work(1);
    return "" + ObjectStreamClass.lookup(face.getClass()).getSerialVersionUID();
  }
}
