import { randomInt } from '../../support/random.ts'
import type { Account, Ask } from './client.ts'

/** Whole answers and streams with texts of their own, quick ones and long ones. */
export const askOf =
  (random: () => number) =>
  (account: Account): Ask => {
    const says = randomInt(random, 1, 2 ** 31)
    const chunks = randomInt(random, 1, 30)
    return random() < 0.4
      ? { account, script: { says, chunks, pauseMs: randomInt(random, 0, 150) } }
      : { account, stream: true, script: { says, chunks, gapMs: randomInt(random, 0, 15) } }
  }
