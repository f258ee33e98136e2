package io.rollotel.examples.cartpole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PolicyTest {
  private static final double[] OBSERVATION = {0.4, -1.1, 0.08, 0.7};
  private static final double DELTA = 1e-6;

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void gradient_equalsFiniteDifferences(int action) {
    SplittableRandom random = new SplittableRandom(2);
    double[] parameters = random.doubles(Policy.PARAMETERS, -1, 1).toArray();
    double weight = 2.5;

    double[] gradient = new double[Policy.PARAMETERS];
    new Policy(parameters).addGradient(OBSERVATION, action, weight, gradient);

    for (int i = 0; i < Policy.PARAMETERS; i++) {
      double difference =
          logProbability(changed(parameters, i, DELTA), action)
              - logProbability(changed(parameters, i, -DELTA), action);
      assertThat(gradient[i])
          .as("parameter %d", i)
          .isCloseTo(weight * difference / (2 * DELTA), within(1e-7));
    }
  }

  private static double logProbability(double[] parameters, int action) {
    double right = new Policy(parameters).probabilityOfRight(OBSERVATION);
    return Math.log(action == 1 ? right : 1 - right);
  }

  private static double[] changed(double[] parameters, int index, double by) {
    double[] changed = parameters.clone();
    changed[index] += by;
    return changed;
  }
}
