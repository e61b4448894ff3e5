import { OWNED_KEY } from '../admin/account.ts'
import { KEYS, MINTED_KEY, REVOKED_KEY } from '../admin/key.ts'
import { DEVICE_ID, LABEL } from '../names.ts'
import { closed, map, optional, text } from '../schema/schema.ts'
import { SPAN, WISH_FIELDS } from '../wished-key.ts'
import { call } from './call.ts'
import { ACCOUNT_NAME, KEY_NAME, name } from './fields.ts'

export const listKeys = call({
  method: 'GET',
  path: '/admin/keys',
  needs: 'viewer',
  summary: 'Lists all keys, masked.',
  answer: KEYS,
})

export const listSomeKeys = call({
  method: 'POST',
  path: '/admin/keys/list',
  needs: 'viewer',
  summary: 'Lists the keys of one account, or working keys that expire within a time, soonest first.',
  body: closed({ account: optional(ACCOUNT_NAME), expiring_in: optional(SPAN) }),
  answer: KEYS,
})

export const mintKey = call({
  method: 'POST',
  path: '/admin/keys',
  needs: 'support',
  summary: 'Mints a key, if necessary for a new account. Plans other than the default need the role admin.',
  repeats: true,
  body: closed({
    account: text('The id of an account, or its label. An unknown label opens a new account.', {
      pattern: LABEL,
      rule: 'must be one line of text',
    }),
    plan: optional(name('Required for a new account.')),
    ...WISH_FIELDS,
    labels: optional(
      map(text(undefined, { least: 1, most: 64 }), 'The values of labels for all of its requests; they never change.', {
        most: 8,
      }),
    ),
  }),
  answer: MINTED_KEY,
})

export const mintGuestKey = call({
  method: 'POST',
  path: '/admin/keys/guest',
  needs: 'support',
  summary: 'Returns the key of a device.',
  body: closed({
    device_id: text("The app's id for the device.", {
      pattern: DEVICE_ID,
      rule: 'must be 1 to 256 printable characters',
    }),
  }),
  answer: MINTED_KEY,
  errors: ['NOT_FOUND'],
})

export const showKey = call({
  method: 'POST',
  path: '/admin/keys/show',
  needs: 'viewer',
  summary: 'Shows a key together with its account.',
  body: closed({ key: KEY_NAME }),
  answer: OWNED_KEY,
  errors: ['NOT_FOUND'],
})

export const rotateKey = call({
  method: 'POST',
  path: '/admin/keys/rotate',
  needs: 'support',
  summary: 'Replaces a key by a new one. With `grace` the old one keeps working for that time.',
  repeats: true,
  body: closed({ key: KEY_NAME, grace: optional(SPAN), expires_in: optional(SPAN) }),
  answer: MINTED_KEY,
  errors: ['NOT_FOUND'],
})

export const revokeKey = call({
  method: 'POST',
  path: '/admin/keys/revoke',
  needs: 'support',
  summary: 'Revokes a key on all gateways.',
  body: closed({ key: KEY_NAME }),
  answer: REVOKED_KEY,
  errors: ['NOT_FOUND'],
})
