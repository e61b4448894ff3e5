import { flag, list, moment, orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'

const FOUND_ACCOUNT = record({ account: text('Its id.'), label: text(), frozen: flag() }, 'FoundAccount')

const FOUND_KEY = record(
  {
    id: text(),
    name: orNull(text('Null for the first key of an account.')),
    key: text('The masked value.'),
    status: text('`active`, `revoked`, `rotated` or `expired`.'),
    account: text('Its id.'),
    label: text('How operators call the account.'),
  },
  'FoundKey',
)

const FOUND_REQUEST = record(
  {
    request_id: text(),
    at: moment(),
    status: orNull(whole('Null if only the ledger has the request.')),
    model: orNull(text()),
    account: orNull(text('Its id; null if nobody was identified.')),
    label: orNull(text('How operators call the account.')),
  },
  'FoundRequest',
)

const FOUND_MODEL = record(
  { model: text(), alias_of: orNull(text('The model that it stands for; null for a model.')) },
  'FoundModel',
)

/** The finds of a search, the best of each kind first. */
export const FOUND = record(
  {
    accounts: list(FOUND_ACCOUNT),
    keys: list(FOUND_KEY, 'Those that work first.'),
    requests: list(FOUND_REQUEST),
    models: list(FOUND_MODEL),
    pools: list(text()),
    partial: flag(
      'Whether accounts or keys that were not looked at may fit too: `POST /admin/accounts/list` looks at all.',
    ),
  },
  'Found',
)

export interface Found extends TypeOf<typeof FOUND> {}
