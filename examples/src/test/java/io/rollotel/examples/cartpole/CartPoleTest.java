package io.rollotel.examples.cartpole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class CartPoleTest {

  @Test
  void firstPushToTheRight_movesAsTheEquationsSay() {
    CartPole cartPole = new CartPole(0, 0, 0, 0);

    assertThat(cartPole.step(1)).isEqualTo(1);

    // At rest and upright: push = 10 / 1.1, angular acceleration = -push / (0.5 (4/3 - 0.1/1.1)),
    // acceleration = push + 0.05 * 14.634146 / 1.1; positions still follow the old velocities.
    assertThat(cartPole.observation())
        .containsExactly(new double[] {0, 0.19512195, 0, -0.29268293}, within(1e-8));
  }

  @Test
  void secondPush_usesTheNewVelocities() {
    CartPole cartPole = new CartPole(0, 0, 0, 0);
    cartPole.step(1);
    cartPole.step(1);

    assertThat(cartPole.observation())
        .containsExactly(
            new double[] {0.00390244, 0.39024390, -0.00585366, -0.58536585}, within(1e-8));
  }

  @Test
  void pushes_areMirrored() {
    CartPole right = new CartPole(0.1, -0.2, 0.03, 0.4);
    CartPole left = new CartPole(-0.1, 0.2, -0.03, -0.4);
    right.step(1);
    left.step(0);

    for (int i = 0; i < CartPole.OBSERVATION_SIZE; i++) {
      assertThat(left.observation()[i]).isEqualTo(-right.observation()[i]);
    }
  }

  @Test
  void isOver_beyondTheTrackAndTheAngle() {
    assertThat(new CartPole(2.39, 0, 0, 0).isOver()).isFalse();
    assertThat(new CartPole(-2.41, 0, 0, 0).isOver()).isTrue();
    assertThat(new CartPole(0, 0, Math.toRadians(11.9), 0).isOver()).isFalse();
    assertThat(new CartPole(0, 0, Math.toRadians(-12.1), 0).isOver()).isTrue();
  }

  @Test
  void alwaysTheSamePush_endsTheEpisodeSoon() {
    CartPole cartPole = CartPole.start(new SplittableRandom(1));
    int steps = 0;
    while (!cartPole.isOver()) {
      cartPole.step(1);
      steps++;
    }
    assertThat(steps).isBetween(7, 12);
  }
}
