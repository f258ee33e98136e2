package io.rollotel.examples.cartpole;

/** The Adam optimizer (Kingma and Ba, 2015), going uphill. */
final class Adam {
  private static final double FIRST_DECAY = 0.9;
  private static final double SECOND_DECAY = 0.999;
  private static final double EPSILON = 1e-8;

  private final double learningRate;
  private final double[] first;
  private final double[] second;

  /** The decays to the power of the number of updates: the part still missing from the moments. */
  private double firstMissing = 1;

  private double secondMissing = 1;

  Adam(double learningRate, int parameters) {
    this.learningRate = learningRate;
    this.first = new double[parameters];
    this.second = new double[parameters];
  }

  /** The parameters one step further along the gradient; the given array does not change. */
  double[] update(double[] parameters, double[] gradient) {
    firstMissing *= FIRST_DECAY;
    secondMissing *= SECOND_DECAY;
    double[] updated = parameters.clone();
    for (int i = 0; i < updated.length; i++) {
      first[i] = FIRST_DECAY * first[i] + (1 - FIRST_DECAY) * gradient[i];
      second[i] = SECOND_DECAY * second[i] + (1 - SECOND_DECAY) * gradient[i] * gradient[i];
      updated[i] +=
          learningRate
              * (first[i] / (1 - firstMissing))
              / (Math.sqrt(second[i] / (1 - secondMissing)) + EPSILON);
    }
    return updated;
  }
}
