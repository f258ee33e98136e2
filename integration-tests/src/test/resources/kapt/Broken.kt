package fixtures

import io.rollotel.annotations.Dispatch
import io.rollotel.annotations.MetaInfo
import io.rollotel.annotations.Register
import io.rollotel.annotations.SpanAttribute

interface Broken {
  @Register(trace = true)
  fun noBody(@MetaInfo metaInfo: Map<String, Any>) // ERROR no-body: @Register on an interface method without a body traces nothing
}

class Kept {
  @Dispatch
  fun send(text: String) {} // ERROR dispatch-without-carrier: @Dispatch on send, which has no carrier parameter

  @Register(trace = true)
  fun train(@MetaInfo metaInfo: Map<String, Any>, @SpanAttribute("thread") thread: Thread) {} // ERROR attribute-type: @SpanAttribute on java.lang.Thread, which cannot be recorded

  @Register(trace = true)
  fun numbers(@MetaInfo metaInfo: Map<Int, Any>) {} // ERROR meta-info-type: @MetaInfo on java.util.Map<java.lang.Integer
}
