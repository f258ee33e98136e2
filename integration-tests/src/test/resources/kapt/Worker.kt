package fixtures

import io.rollotel.annotations.Dispatch
import io.rollotel.annotations.MetaInfo
import io.rollotel.annotations.Register
import io.rollotel.annotations.SpanAttribute

class DataProto(val metaInfo: MutableMap<String, Any>)

interface Work {
  @Register(trace = true) fun withBody(request: DataProto): DataProto = request
}

open class Worker : Work {
  @Register(trace = true) fun train(request: DataProto, @SpanAttribute("step") step: Int) {}

  @Register(trace = true) fun all(requests: List<DataProto>) {}

  @Register(trace = true) fun map(@MetaInfo metaInfo: Map<String, Any?>) {}

  @Register(trace = true)
  fun alone(step: Int) {} // WARNING no-carrier: No parameter of alone carries a context

  @Suppress("roll-otel:no-carrier") @Register(trace = true) fun suppressed(step: Int) {}

  @SuppressWarnings("roll-otel:no-carrier") @Register(trace = true) fun suppressedToo(step: Int) {}

  @JvmOverloads @Register(trace = true) fun overloads(request: DataProto, step: Int = 1) {}

  @Register(trace = true) suspend fun pauses(request: DataProto): Int = 1

  @Register(trace = true) internal fun ofModule(request: DataProto) {}

  @Register(trace = true) open fun overridden(request: DataProto) {}

  companion object {
    @JvmStatic @Register(trace = true) fun ofCompanion(request: DataProto) {}
  }
}

class Sub : Worker() {
  override fun overridden(request: DataProto) {} // WARNING override: overridden overrides a method of Worker
}

@Dispatch fun DataProto.send() {}
