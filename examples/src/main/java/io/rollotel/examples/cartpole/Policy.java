package io.rollotel.examples.cartpole;

import java.util.SplittableRandom;

/**
 * The probability of a push to the right, given an observation: one hidden layer (tanh), one
 * sigmoid.
 *
 * <p>Parameters are one flat array: hidden weights, hidden biases, output weights, output bias.
 */
final class Policy {
  private static final int HIDDEN_UNITS = 128;
  private static final int INPUTS = CartPole.OBSERVATION_SIZE;
  private static final int HIDDEN_BIASES = HIDDEN_UNITS * INPUTS;
  private static final int OUTPUT_WEIGHTS = HIDDEN_BIASES + HIDDEN_UNITS;
  private static final int OUTPUT_BIAS = OUTPUT_WEIGHTS + HIDDEN_UNITS;

  static final int PARAMETERS = OUTPUT_BIAS + 1;

  private final double[] parameters;

  Policy(double[] parameters) {
    if (parameters.length != PARAMETERS) {
      throw new IllegalArgumentException(
          "a policy has " + PARAMETERS + " parameters, not " + parameters.length);
    }
    this.parameters = parameters;
  }

  /** Small random weights, biases of zero. */
  static double[] initialParameters(SplittableRandom random) {
    double[] parameters = new double[PARAMETERS];
    for (int i = 0; i < HIDDEN_BIASES; i++) {
      parameters[i] = random.nextDouble(-0.5, 0.5);
    }
    for (int i = OUTPUT_WEIGHTS; i < OUTPUT_BIAS; i++) {
      parameters[i] = random.nextDouble(-0.1, 0.1);
    }
    return parameters;
  }

  double probabilityOfRight(double[] observation) {
    return outputOf(hiddenLayerOf(observation));
  }

  /** Adds {@code weight} times the gradient of log P(action | observation). */
  void addGradient(double[] observation, int action, double weight, double[] gradient) {
    double[] hidden = hiddenLayerOf(observation);
    // The derivative of log P by the sigmoid's input.
    double atOutput = weight * (action - outputOf(hidden));
    for (int unit = 0; unit < HIDDEN_UNITS; unit++) {
      double atHidden =
          atOutput * parameters[OUTPUT_WEIGHTS + unit] * (1 - hidden[unit] * hidden[unit]);
      for (int input = 0; input < INPUTS; input++) {
        gradient[unit * INPUTS + input] += atHidden * observation[input];
      }
      gradient[HIDDEN_BIASES + unit] += atHidden;
      gradient[OUTPUT_WEIGHTS + unit] += atOutput * hidden[unit];
    }
    gradient[OUTPUT_BIAS] += atOutput;
  }

  private double[] hiddenLayerOf(double[] observation) {
    double[] hidden = new double[HIDDEN_UNITS];
    for (int unit = 0; unit < HIDDEN_UNITS; unit++) {
      double sum = parameters[HIDDEN_BIASES + unit];
      for (int input = 0; input < INPUTS; input++) {
        sum += parameters[unit * INPUTS + input] * observation[input];
      }
      hidden[unit] = StrictMath.tanh(sum);
    }
    return hidden;
  }

  private double outputOf(double[] hidden) {
    double sum = parameters[OUTPUT_BIAS];
    for (int unit = 0; unit < HIDDEN_UNITS; unit++) {
      sum += parameters[OUTPUT_WEIGHTS + unit] * hidden[unit];
    }
    return 1 / (1 + StrictMath.exp(-sum));
  }
}
