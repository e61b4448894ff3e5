import type { ConfigFile } from '../file.ts'
import type { Report } from '../problem.ts'
import { isRefusal, type Refusal } from '../read/scalar.ts'
import { fetchSecret, refuse, type SecretPlace } from '../read/secrets.ts'
import { keyAt, type MapNode, nodeAt } from '../read/tree.ts'
import { Secret } from '../settings.ts'
import { store } from './store.ts'

/** Whoever guesses the secret has the key of every device. */
const LEAST_CHARACTERS = 32
/** Where the secret is when the file does not say. */
const VARIABLE = 'SVC_GUEST_SECRET'

/** Fetches what the keys of guests are derived from, newest first. Empty where the gateway has to make it itself. */
export function readGuestSecrets(
  root: MapNode,
  main: ConfigFile | undefined,
  place: SecretPlace,
  report: Report,
): readonly Secret[] {
  const at = keyAt(root, ['guests'])
  if (!at) return []
  const fetch = (field: string) => {
    const node = nodeAt(root, ['guests', field])
    return { written: node !== undefined, span: node?.span ?? at, value: fetchSecret(node, field, place) }
  }
  const former = fetch('former_secret')
  const named = fetch('secret')
  const current =
    named.written || !place.env[VARIABLE] ? named : { written: true, span: at, value: place.env[VARIABLE] }
  const secrets = [current, former].flatMap(({ span, value }) => {
    const usable = value === undefined ? [] : longEnough(value, span === at)
    if (!isRefusal(usable)) return usable
    refuse({ span }, usable, report)
    return []
  })
  if (secrets.length === 2 && secrets[0] === secrets[1]) refuse(former, SAME, report)
  if (!current.written && former.written) refuse(former, ALONE, report)
  else if (!current.written && isShared(main)) refuse({ span: at }, SHARED, report)
  return secrets.map(secret => new Secret(secret))
}

function longEnough(secret: string | Refusal, byDefault: boolean): string | Refusal {
  if (isRefusal(secret) || secret.length >= LEAST_CHARACTERS) return secret
  const says = `${byDefault ? VARIABLE : 'the secret of guests'} has fewer than ${LEAST_CHARACTERS} characters`
  return { rule: 'short-secret', says, hint: 'make one: openssl rand -base64 32' }
}

const isShared = (main: ConfigFile | undefined): boolean =>
  main?.store !== undefined && store.read(main.store)?.kind === 'redis'

/** Keys that one gateway derives, the others must derive too. */
const SHARED: Refusal = {
  rule: 'no-guest-secret',
  says: 'guests on a store that gateways share need a secret',
  hint: `add \`secret: \${VARIABLE}\` or \`secret: file:PATH\`, or set ${VARIABLE}: every gateway needs the same`,
}

const ALONE: Refusal = {
  rule: 'no-guest-secret',
  says: '`former_secret` stands there without the `secret` that came after it',
  hint: `add \`secret\`, or set ${VARIABLE}`,
}

const SAME: Refusal = {
  rule: 'duplicate-entry',
  says: '`former_secret` is the same as `secret`',
  hint: 'remove it until you change the secret',
}
