package io.rollotel.agent.sdk;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a class file names (JVMS 4.1): the texts of its constant pool, and its supertypes, all with
 * slashes.
 */
record ClassFileNames(List<String> texts, List<String> supertypes) {

  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;

  static ClassFileNames of(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    in.skipBytes(8); // magic and version
    int count = in.readUnsignedShort();
    @Nullable String[] texts = new String[count];
    int[] classes = new int[count];
    List<String> all = new ArrayList<>();
    for (int i = 1; i < count; i++) {
      int tag = in.readUnsignedByte();
      switch (tag) {
        case UTF8 -> {
          String text = in.readUTF();
          texts[i] = text;
          all.add(text);
        }
        case CLASS -> classes[i] = in.readUnsignedShort();
        case LONG, DOUBLE -> {
          in.skipBytes(8);
          i++; // these take two places
        }
        case 8, 16, 19, 20 -> in.skipBytes(2); // String, MethodType, Module, Package
        case 15 -> in.skipBytes(3); // MethodHandle
        default -> in.skipBytes(4);
      }
    }
    in.skipBytes(4); // access flags, this class
    List<String> supertypes = new ArrayList<>();
    add(texts[classes[in.readUnsignedShort()]], supertypes);
    int interfaces = in.readUnsignedShort();
    for (int i = 0; i < interfaces; i++) {
      add(texts[classes[in.readUnsignedShort()]], supertypes);
    }
    return new ClassFileNames(all, supertypes);
  }

  private static void add(@Nullable String name, List<String> supertypes) {
    if (name != null) {
      supertypes.add(name);
    }
  }

  /** Whether the class file names a class of the package, also in signatures. */
  boolean names(String packagePrefix) {
    for (String text : texts) {
      if (text.contains(packagePrefix)) {
        return true;
      }
    }
    return false;
  }
}
