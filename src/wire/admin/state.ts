import { fixed, flag, forms, listing, map, moment, number, record, text, whole, word } from '../schema/schema.ts'
import { ROLES } from './role.ts'

/** Who an operator is, and what answers. */
export const WHO_AM_I = record(
  {
    by: text('As the audit has it.'),
    via: word(['token', 'session', 'sign-in', 'certificate']),
    role: word(ROLES),
    version: text(),
    gateway: text('`host:pid`'),
    revision: text(),
    number: whole('The number of the revision in use.'),
    generation: whole('1 at the start, and one more with each reload.'),
    store: word(['embedded', 'redis']),
    store_state: word(['ok', 'unavailable']),
    decisions: flag('Whether the gateway logs its decisions.'),
    identity: flag('Whether people can sign in.'),
    started_at: moment(),
    feed_readers: whole('How many followers `GET /admin/events` has.'),
  },
  'WhoAmI',
)

const ALARM_FIELDS = {
  at: moment('The time of the last one.'),
  message: text(),
  fields: map(forms(text(), number(), flag())),
}

/** The newest alarms of a process, newest first. */
export const ALARMS = listing(
  record({ ...ALARM_FIELDS, count: whole('How many equal alarms came within a minute.') }, 'Alarm'),
  { since: moment('The start of the process.'), total: whole('How many there were.') },
)

/** An alarm in the feed. */
export const ALARM_EVENT = record({ event: fixed('alarm'), ...ALARM_FIELDS })
