@file:JvmName("KotlinKinds")

package fixtures

import io.rollotel.annotations.Register
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.resume
import kotlin.coroutines.startCoroutine

// Each top-level function without parameters is a situation, called from Java.

interface Work<T> {
  fun work(t: T): T

  @Register(trace = true) fun withBody(text: String): String = text
}

open class KotlinWorker : Work<Int> {
  @Register(trace = true) fun plain(text: String): String = text

  @Register(trace = true) override fun work(t: Int): Int = t + 1

  @Register(trace = true) fun defaults(a: Int = 1, text: String = "b"): String = "$a$text"

  @JvmOverloads
  @Register(trace = true)
  fun overloads(a: Int, text: String = "b", more: Long = 2): String = "$a$text$more"

  @Register(trace = true) internal fun ofModule(n: Int): Int = n

  @Register(trace = true) inline fun inlined(body: () -> Int): Int = body()

  @Register(trace = true) suspend fun goesOn(n: Int): Int = n

  @Register(trace = true)
  suspend fun pauses(n: Int): Int {
    val before = plain("before")
    val resumed = pause(n)
    return resumed + before.length - plain("after!").length
  }

  companion object {
    @Register(trace = true) fun ofCompanion(n: Int): Int = n

    @JvmStatic @Register(trace = true) fun staticOfCompanion(text: String): String = text
  }
}

object Single {
  @Register(trace = true) fun ofObject(n: Int): Int = n

  @JvmStatic @Register(trace = true) fun staticOfObject(n: Int): Int = n
}

@Register(trace = true) fun topLevel(n: Int): Int = n

@Register(trace = true) fun String.extension(): Int = length

var paused: Continuation<Int>? = null

suspend fun pause(n: Int): Int = suspendCoroutineUninterceptedOrReturn { continuation ->
  paused = continuation
  COROUTINE_SUSPENDED
}

fun <T> start(body: suspend () -> T): () -> Result<T>? {
  var result: Result<T>? = null
  body.startCoroutine(
      object : Continuation<T> {
        override val context: CoroutineContext = EmptyCoroutineContext

        override fun resumeWith(result_: Result<T>) {
          result = result_
        }
      })
  return { result }
}

fun java(type: Class<*>, name: String, vararg arguments: Any): Any? =
    type.methods
        .single { it.name == name && it.parameterCount == arguments.size && !it.isBridge }
        .invoke(if (type == KotlinWorker::class.java) KotlinWorker() else null, *arguments)

fun classMethod() = KotlinWorker().plain("a") == "a"

fun genericOverride(): Boolean {
  val work: Work<Int> = KotlinWorker()
  return work.work(1) == 2
}

fun interfaceMethodWithBody() = KotlinWorker().withBody("a") == "a"

fun interfaceMethodByDefaultImpls(): Boolean =
    Class.forName("fixtures.Work\$DefaultImpls", true, KotlinWorker::class.java.classLoader)
        .methods
        .single { it.name == "withBody" }
        .invoke(null, KotlinWorker(), "a") == "a"

fun defaultArguments() = KotlinWorker().defaults() == "1b" && KotlinWorker().defaults(2, "c") == "2c"

fun jvmOverloads() = KotlinWorker().overloads(1) == "1b2"

fun jvmOverloadsFromJava() =
    java(KotlinWorker::class.java, "overloads", 1) == "1b2" &&
        java(KotlinWorker::class.java, "overloads", 1, "c") == "1c2"

fun internalMethod() = KotlinWorker().ofModule(1) == 1

fun inlineFunction() = KotlinWorker().inlined { 3 } == 3

fun companionMethod() = KotlinWorker.ofCompanion(1) == 1

fun companionJvmStatic() = KotlinWorker.staticOfCompanion("a") == "a"

fun companionJvmStaticFromJava() =
    java(KotlinWorker::class.java, "staticOfCompanion", "a") == "a"

fun objectMethod() = Single.ofObject(1) == 1

fun objectJvmStaticFromJava() = java(Single::class.java, "staticOfObject", 1) == 1

fun topLevelFunction() = topLevel(1) == 1

fun extensionFunction() = "abc".extension() == 3

fun suspendFunctionThatDoesNotSuspend() =
    start { KotlinWorker().goesOn(2) }()?.getOrNull() == 2

fun suspendFunctionThatSuspends(): Boolean {
  val result = start { KotlinWorker().pauses(2) }
  if (result() != null) {
    return false
  }
  paused?.resume(5)
  return result()?.getOrNull() == 5
}
