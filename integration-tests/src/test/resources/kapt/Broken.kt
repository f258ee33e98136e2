package fixtures

import io.rollotel.annotations.Dispatch
import io.rollotel.annotations.MetaInfo
import io.rollotel.annotations.Register
import io.rollotel.annotations.SpanAttribute

interface Broken {
  @Register(trace = true) // ERROR no-body: @Register on an interface method without a body traces nothing
  fun noBody(@MetaInfo metaInfo: Map<String, Any>)
}

class Kept {
  @Dispatch // ERROR dispatch-without-carrier: @Dispatch on send, which has no parameter that carries
  fun send(text: String) {}

  @Register(trace = true) // ERROR attribute-type: @SpanAttribute on java.lang.Thread, which cannot be recorded
  fun train(@MetaInfo metaInfo: Map<String, Any>, @SpanAttribute("thread") thread: Thread) {}

  @Register(trace = true) // ERROR meta-info-type: @MetaInfo on java.util.Map<java.lang.Integer
  fun numbers(@MetaInfo metaInfo: Map<Int, Any>) {}
}
