package io.ray.runtime.object;

/** Stands for Ray's class in tests: a value as it travels and as it is stored. */
public final class NativeRayObject {

  public byte[] data;
  public byte[] metadata;

  public NativeRayObject(byte[] data, byte[] metadata) {
    this.data = data;
    this.metadata = metadata;
  }
}
