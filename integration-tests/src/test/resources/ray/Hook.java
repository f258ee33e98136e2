package com.example;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.resources.Resource;

/** A startup hook of the job's: in its workers the class comes with the job's loader. */
public class Hook {

  static void setup(AutoConfigurationCustomizer sdk) {
    sdk.addResourceCustomizer(
        (resource, config) ->
            resource.merge(Resource.create(Attributes.builder().put("hooked", true).build())));
  }
}
