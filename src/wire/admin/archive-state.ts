import { defaulted, flag, moment, number, orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'

/** How far rows of the ledger came on their way into the archive, as the gateway that is asked knows it. */
export const ARCHIVE_STATE = record(
  {
    to: orNull(
      text('Where rows go, without user and password. Null without an archive; then all other members are null or 0.'),
    ),
    read_back: defaulted(
      flag('Whether rows are read back from there. If not, commands and endpoints only read rows in the store.'),
      true,
    ),
    here: flag('Whether this gateway archives rows. If not, another one on the same store does.'),
    archived_rows: whole('Rows that this process archived.'),
    failures: whole('Batches that the archive rejected.'),
    last_error: orNull(text()),
    waiting_rows: whole('Rows due for the archive that are not in it yet.'),
    oldest_at: orNull(moment('When the oldest of their requests was admitted.')),
    lag_seconds: number('How overdue it is.'),
  },
  'ArchiveState',
)

export interface ArchiveRecord extends TypeOf<typeof ARCHIVE_STATE> {}
