import {
  cases,
  described,
  fixed,
  flag,
  list,
  map,
  moment,
  object,
  open,
  optional,
  orNull,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'

export const STEP = record(
  {
    stage: text(),
    outcome: word(['pass', 'deny']),
    text: text(),
    file: orNull(text('Null, like the line, if no line of a file decided.')),
    line: orNull(whole()),
  },
  'Stage',
  'A stage of the decision.',
)

/** A stage of the decision. `file` and `line` are null where no line of a file decided. */
export interface ShownStep extends TypeOf<typeof STEP> {}

const OTHER_NAMES = record({ change: word(['plan', 'model', 'pool', 'room']), names: list(text()) })
const LESS_RUNNING = record({
  change: word(['under_way', 'held']),
  to: whole('Running requests, and the nano-USD that they reserve.'),
})

/** A change that would have had a request admitted. */
export const REMEDY = cases('change', {
  time: record({ change: fixed('time'), at: moment() }),
  max_tokens: record({ change: fixed('max_tokens'), from: whole(), to: optional(whole()) }),
  thinking: record({ change: fixed('thinking'), to: fixed(false) }),
  plan: OTHER_NAMES,
  model: OTHER_NAMES,
  pool: OTHER_NAMES,
  room: OTHER_NAMES,
  under_way: LESS_RUNNING,
  held: LESS_RUNNING,
})

export type ShownRemedy = TypeOf<typeof REMEDY>

const OUTCOME = open(
  record(
    {
      verdict: word(['allow', 'deny']),
      plan: text(),
      model: optional(text()),
      route: optional(text()),
      pools: optional(list(text())),
    },
    'Outcome',
    'The outcome; the decision log may have further fields.',
  ),
)

export const REFUSED_ANSWER = record(
  { status: whole(), headers: map(text()), body: orNull(object()) },
  'RefusedAnswer',
  'The answer of a refused request.',
)

/** A request of the decision log, decided again: what `svcctl explain --request --json` prints. */
export const DECISION = open(
  record(
    {
      verdict: word(['allow', 'deny']),
      at: moment(),
      path: text(),
      asked: orNull(text('Null if the client named no model.')),
      revision: text('The revision of the files that decided it again.'),
      same_files: flag('Whether the files in use are those that decided it then.'),
      agrees: flag('Whether the new decision is identical, byte for byte.'),
      outcome: orNull(described(OUTCOME, 'The outcome under these files; null if it is unknown.')),
      answer: orNull(REFUSED_ANSWER),
      stages: list(STEP),
      allowed_if: list(REMEDY, 'Changes that would have admitted it; each was tested.'),
      record: object('The record in the log.'),
    },
    'Decision',
    'A request of the decision log, decided again: what `svcctl explain --request ID --json` prints.',
  ),
)

export interface ShownPast extends TypeOf<typeof DECISION> {}
