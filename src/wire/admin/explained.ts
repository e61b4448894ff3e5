import type { HeldPrice } from '../../policy/config.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { usdText } from '../money.ts'
import { flag, list, moment, optional, orNull, record, type TypeOf, text, whole, word } from '../schema/schema.ts'
import { ACCOUNT } from './account.ts'
import { KEY } from './key.ts'
import { LIMIT_USE } from './limit-use.ts'
import { REFUSED_ANSWER, REMEDY, STEP } from './past.ts'
import { POOL_CHOICE } from './pool-choice.ts'

/** The longest prompt that may be asked about by its length. */
export const MOST_PROMPT_TOKENS = 1_000_000

const HELD = record(
  {
    usd: text('The most that it may cost.'),
    input_tokens: whole('The most that its prompt may have.'),
    output_tokens: whole('The output that is granted, of all choices together.'),
    input_usd_per_1m: text(),
    output_usd_per_1m: text(),
  },
  'WouldHold',
  'The reservation that a request would make, and its price. Amounts are exact decimals of US dollars.',
)

/** The answer that a request of an account would get now; `svcctl explain --account --json` prints it. */
export const EXPLAINED = record(
  {
    verdict: word(['allow', 'deny']),
    at: moment(),
    revision: text('The revision of the files that decided it.'),
    account: ACCOUNT,
    key: orNull(KEY),
    path: text(),
    asked: orNull(text('Null where no model is named, or the body cannot be read.')),
    model: orNull(text('The model that the files allow, whatever the limits say.')),
    route: orNull(text('The route that chose the model.')),
    pools: list(
      record({
        pool: text(),
        state: word(['healthy', 'ejected', 'paused', 'drained']),
        choice: optional(POOL_CHOICE),
      }),
      'In the order in which they would be tried.',
    ),
    max_tokens: orNull(whole('The output cap that a chat is granted.')),
    held: orNull(HELD),
    tools: list(
      record({ tool: text(), allowed: flag('Whether the plan includes it.') }),
      'The hosted tools of the files.',
    ),
    limits: list(LIMIT_USE, 'Every limit that may refuse it, with its use now.'),
    answer: orNull(REFUSED_ANSWER),
    stages: list(STEP),
    allowed_if: list(REMEDY, 'Changes that would have it served, each tried out.'),
    notes: list(text(), 'Further facts, such as one that could not be asked for.'),
  },
  'Explained',
  'The answer that a request of an account would get now, as `svcctl explain --account ID --json` prints it.',
)

export interface ShownExplained extends TypeOf<typeof EXPLAINED> {}

/** Prices as files write them: US dollars for a million tokens. */
export const shownPrice = ({ input, output }: HeldPrice) => ({
  input_usd_per_1m: usdText(nanoUsd(input * 1000)),
  output_usd_per_1m: usdText(nanoUsd(output * 1000)),
})
