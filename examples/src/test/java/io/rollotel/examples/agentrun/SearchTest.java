package io.rollotel.examples.agentrun;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SearchTest {

  @ParameterizedTest
  @ValueSource(doubles = {1, 1.5, 3, 6})
  void shuffledBoards_areSolvedMoveByMove(double weight) {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 20; i++) {
      Board start = Board.shuffled(random, 60);
      List<Board> way = solve(start, weight);
      assertThat(way.get(0)).isEqualTo(start);
      assertThat(way.get(way.size() - 1)).isEqualTo(Board.SOLVED);
      for (int move = 1; move < way.size(); move++) {
        assertThat(way.get(move - 1).neighbours()).contains(way.get(move));
      }
    }
  }

  @Test
  void withoutWeight_theWayIsTheShortest() {
    // One of the two boards that need the most moves, 31.
    Board hardest = new Board("867254301");
    assertThat(solve(hardest, 1)).hasSize(32);
  }

  @Test
  void solvedBoard_needsNoMove() {
    assertThat(solve(Board.SOLVED, 1)).containsExactly(Board.SOLVED);
  }

  @Test
  void policy_comesToPreferWhatPays() {
    Policy policy = new Policy(new SplittableRandom(3));
    int[] chosen = new int[4];
    for (int i = 0; i < 500; i++) {
      int choice = policy.choose();
      policy.learn(choice, choice == 2 ? 1 : 0);
      chosen[choice]++;
    }
    assertThat(chosen[2]).isGreaterThan(350);
  }

  private static List<Board> solve(Board start, double weight) {
    Search search = new Search(start, weight);
    while (!search.isSolved()) {
      search.expand(1_000);
    }
    return search.way();
  }
}
