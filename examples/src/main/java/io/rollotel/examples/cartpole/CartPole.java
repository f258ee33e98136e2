package io.rollotel.examples.cartpole;

import java.util.SplittableRandom;

/**
 * A pole on a cart that is pushed left or right: the equations of Barto, Sutton and Anderson (1983)
 * with the constants in common use, integrated by Euler's method.
 *
 * <p>StrictMath throughout: the same episode on every machine and JVM, to the last bit.
 */
final class CartPole {
  /** Position, velocity, angle, angular velocity. */
  static final int OBSERVATION_SIZE = 4;

  static final int MAX_STEPS = 500;

  private static final double GRAVITY = 9.8;
  private static final double POLE_MASS_KG = 0.1;
  private static final double TOTAL_MASS_KG = 1.0 + POLE_MASS_KG;
  private static final double HALF_POLE_METRES = 0.5;
  private static final double FORCE_NEWTONS = 10.0;
  private static final double TIME_STEP_SECONDS = 0.02;
  private static final double MAX_POSITION_METRES = 2.4;
  private static final double MAX_ANGLE_RADIANS = 12 * 2 * Math.PI / 360;

  private double position;
  private double velocity;
  private double angle;
  private double angularVelocity;
  private int steps;

  CartPole(double position, double velocity, double angle, double angularVelocity) {
    this.position = position;
    this.velocity = velocity;
    this.angle = angle;
    this.angularVelocity = angularVelocity;
  }

  /** A pole that stands nearly upright, nearly at rest. */
  static CartPole start(SplittableRandom random) {
    return new CartPole(
        random.nextDouble(-0.05, 0.05),
        random.nextDouble(-0.05, 0.05),
        random.nextDouble(-0.05, 0.05),
        random.nextDouble(-0.05, 0.05));
  }

  double[] observation() {
    return new double[] {position, velocity, angle, angularVelocity};
  }

  boolean isOver() {
    return steps >= MAX_STEPS
        || Math.abs(position) > MAX_POSITION_METRES
        || Math.abs(angle) > MAX_ANGLE_RADIANS;
  }

  /** Pushes the cart to the right (1) or to the left (0) and returns the reward: 1 per step. */
  double step(int action) {
    double force = action == 1 ? FORCE_NEWTONS : -FORCE_NEWTONS;
    double sine = StrictMath.sin(angle);
    double cosine = StrictMath.cos(angle);
    double push =
        (force + POLE_MASS_KG * HALF_POLE_METRES * angularVelocity * angularVelocity * sine)
            / TOTAL_MASS_KG;
    double angularAcceleration =
        (GRAVITY * sine - cosine * push)
            / (HALF_POLE_METRES * (4.0 / 3.0 - POLE_MASS_KG * cosine * cosine / TOTAL_MASS_KG));
    double acceleration =
        push - POLE_MASS_KG * HALF_POLE_METRES * angularAcceleration * cosine / TOTAL_MASS_KG;

    position += TIME_STEP_SECONDS * velocity;
    velocity += TIME_STEP_SECONDS * acceleration;
    angle += TIME_STEP_SECONDS * angularVelocity;
    angularVelocity += TIME_STEP_SECONDS * angularAcceleration;
    steps++;
    return 1;
  }
}
