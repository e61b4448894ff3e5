import { defaulted, flag, moment, number, orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'

/** How far rows of the ledger came on their way into the archive, as the gateway that is asked knows it. */
export const ARCHIVE_STATE = record(
  {
    to: orNull(
      text(
        'Where they go, without user and password; null where the files name no archive, and then all others are null or 0.',
      ),
    ),
    read_back: defaulted(
      flag('Whether rows are read back from there; else commands and endpoints have those of the store alone.'),
      true,
    ),
    here: flag('Whether this gateway takes them there; else another one on the same store does.'),
    archived_rows: whole('Rows that this process took there.'),
    failures: whole('Batches that were not taken.'),
    last_error: orNull(text()),
    waiting_rows: whole('Rows that are old enough to be there and are not.'),
    oldest_at: orNull(moment('When the oldest of their requests was admitted.')),
    lag_seconds: number('How much older than it has to be it is.'),
  },
  'ArchiveState',
)

export interface ArchiveRecord extends TypeOf<typeof ARCHIVE_STATE> {}
