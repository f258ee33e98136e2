package io.rollotel.agent.ray;

import static org.assertj.core.api.Assertions.assertThat;

import io.ray.api.id.ActorId;
import io.ray.api.runtimecontext.ActorState;
import io.rollotel.agent.ray.RayHosts.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which hosts are asked for files, with stubs in the place of Ray's. */
class RayHostsTest {

  private static final Node OWN = new Node("own", "10.0.0.1", "head", true);

  @Test
  void onlyTheDriversHost_isNobody() throws Exception {
    assertThat(RayHosts.others(List.of(OWN), "own")).isEmpty();
    assertThat(RayHosts.of(new Runtime(List.of(OWN)), "own")).as("no task is submitted").isNull();
  }

  @Test
  void nodesOfTheDriversHost_areNotAsked() {
    Node beside = new Node("beside", "10.0.0.1", "head", true);
    assertThat(RayHosts.others(List.of(beside, OWN), "own")).isEmpty();
  }

  @Test
  void hostOfManyNodes_isAskedOnce() {
    Node first = new Node("a", "10.0.0.2", "second", true);
    Node second = new Node("b", "10.0.0.2", "second", true);
    assertThat(RayHosts.others(List.of(OWN, first, second), "own")).containsExactly(first);
  }

  @Test
  void nodeThatIsGone_isNotAsked() {
    Node gone = new Node("a", "10.0.0.2", "second", false);
    Node again = new Node("b", "10.0.0.2", "second", true);
    assertThat(RayHosts.others(List.of(OWN, gone), "own")).isEmpty();
    assertThat(RayHosts.others(List.of(OWN, gone, again), "own")).containsExactly(again);
  }

  @Test
  void nodeThatNoTaskCanBePinnedTo_isNotAsked() throws Exception {
    Node strange = new Node("a", "10.0.0.2", "second", false);
    assertThat(RayHosts.of(new Runtime(List.of(OWN, strange)), "own")).isNull();
  }

  @Test
  void ofManyHosts_thoseOfTheJobsActorsAreAsked() throws Exception {
    List<Node> nodes = new ArrayList<>(List.of(OWN));
    for (int i = 0; i < RayHosts.MOST_ASKED; i++) {
      nodes.add(new Node("node-" + i, "10.0.1." + i, "host-" + i, true));
    }
    assertThat(RayHosts.of(new Runtime(nodes), "own").asked()).hasSize(RayHosts.MOST_ASKED);
    nodes.add(new Node("node-x", "10.0.2.1", "host-x", true));
    assertThat(RayHosts.of(new Runtime(nodes), "own")).as("none had an actor").isNull();
    assertThat(RayHosts.of(new Runtime(nodes, "own", "node-3", "node-x", "node-3"), "own").asked())
        .extracting(Node::host)
        .containsExactly("host-3", "host-x");
  }

  /** The parts of Ray's runtime that are used here. */
  public record Runtime(List<Node> nodes, String... nodesOfActors) {

    public Context getRuntimeContext() {
      return new Context(this);
    }
  }

  public record Context(Runtime runtime) {

    public List<Info> getAllNodeInfo() {
      return runtime.nodes.stream().map(Info::new).toList();
    }

    public ActorId getCurrentJobId() {
      return new ActorId("job");
    }

    public List<Actor> getAllActorInfo(ActorId job, ActorState state) {
      assertThat(state).as("of any").isNull();
      return List.of(runtime.nodesOfActors).stream().map(Actor::new).toList();
    }
  }

  public static final class Info {
    public final String nodeId;
    public final String nodeAddress;
    public final String nodeHostname;
    public final boolean isAlive;
    public final Map<String, Double> resources;

    Info(Node node) {
      nodeId = node.id();
      nodeAddress = node.address();
      nodeHostname = node.host();
      isAlive = true;
      resources = node.isAlive() ? Map.of("node:" + nodeAddress, 1.0) : Map.of("CPU", 1.0);
    }
  }

  public static final class Actor {
    public final Address address;

    Actor(String nodeId) {
      address = new Address(nodeId);
    }
  }

  public static final class Address {
    public final String nodeId;

    Address(String nodeId) {
      this.nodeId = nodeId;
    }
  }
}
