package fixtures

import io.rollotel.annotations.Register

trait Work[T]:
  def work(t: T): T

trait Body:
  @Register(trace = true) def withBody(text: String): String = text
  @Register(trace = true) def nothing(): Unit = ()

class ScalaWorker extends Work[Int], Body:
  @Register(trace = true) def plain(text: String): String = text
  @Register(trace = true) override def work(t: Int): Int = t + 1
  @Register(trace = true) def defaults(a: Int = 1, text: String = "b"): String = s"$a$text"
  @Register(trace = true) def byName(n: => Int): Int = n
  @Register(trace = true) def curried(a: Int)(b: Int): Int = a + b

class Overrides extends Body:
  @Register(trace = true) override def withBody(text: String): String = super.withBody(text) + "!"

object Single:
  @Register(trace = true) def ofObject(n: Int): Int = n

class WithCompanion:
  def plain(): Int = 1

object WithCompanion:
  @Register(trace = true) def ofCompanion(n: Long, text: String): String = s"$n$text"

case class Batch(size: Int):
  @Register(trace = true) def twice: Int = 2 * size

@Register(trace = true) def topLevel(n: Int): Int = n

/** Each method without parameters is a situation, called from Java. */
object ScalaKinds:
  private def java(className: String, name: String, arguments: AnyRef*): AnyRef =
    val methods = Class.forName(className, true, getClass.getClassLoader).getMethods
    methods.find(_.getName == name).get.invoke(null, arguments*)

  def classMethod(): Boolean = ScalaWorker().plain("a") == "a"

  def genericOverride(): Boolean =
    val work: Work[Int] = ScalaWorker()
    work.work(1) == 2 && ScalaWorker().work(2) == 3

  def traitMethodWithBody(): Boolean =
    ScalaWorker().nothing()
    ScalaWorker().withBody("a") == "a"

  def traitMethodThroughTheTrait(): Boolean =
    val body: Body = ScalaWorker()
    body.withBody("a") == "a"

  def traitMethodOverridden(): Boolean = Overrides().withBody("a") == "a!"

  def traitMethodOfAnAnonymousClass(): Boolean = new Body {}.withBody("a") == "a"

  def defaultArguments(): Boolean = ScalaWorker().defaults() == "1b"

  def byNameParameter(): Boolean = ScalaWorker().byName(3) == 3

  def severalParameterLists(): Boolean = ScalaWorker().curried(1)(2) == 3

  def objectMethod(): Boolean = Single.ofObject(1) == 1

  def objectMethodFromJava(): Boolean =
    java("fixtures.Single", "ofObject", Integer.valueOf(1)) == Integer.valueOf(1)

  def companionMethodFromJava(): Boolean =
    java("fixtures.WithCompanion", "ofCompanion", Long.box(1), "a") == "1a"

  def caseClassMethod(): Boolean = Batch(2).twice == 4

  def topLevelMethod(): Boolean = topLevel(1) == 1
