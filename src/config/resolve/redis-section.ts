import type { ConfigFile } from '../file.ts'
import type { Refusal } from '../model/scalar.ts'
import { hasSentinels, isTls, passwordOf, store } from '../model/store-address.ts'
import { type MapNode, type Node, nodeAt } from '../model/tree.ts'
import type { Report } from '../problem.ts'
import { LINE, PEM, readSecrets, refuse, type SecretPlace } from '../read/secrets.ts'
import type { Secret } from '../settings.ts'

/** Fetches what the section `redis` refers to, by field, and reports what does not go with `store`. */
export function readRedis(
  root: MapNode,
  main: ConfigFile | undefined,
  place: SecretPlace,
  report: Report,
): ReadonlyMap<string, Secret> {
  const section = nodeAt(root, ['redis'])
  if (section) checkFit(section, main, report)
  return readSecrets(section, HOLDS, place, report)
}

function checkFit(section: Node, main: ConfigFile | undefined, report: Report): void {
  const written = main?.store
  const address = written === undefined ? undefined : store.read(written)
  // A store with a mistake is reported itself.
  if (written !== undefined && !address) return
  if (address?.kind !== 'redis') {
    refuse(section, WITHOUT_REDIS, report)
    return
  }
  const { url } = address
  const faults: Readonly<Record<keyof typeof HOLDS, Refusal | false>> = {
    password: passwordOf(url) !== '' && SECOND_PASSWORD,
    sentinel_password: !hasSentinels(url) && WITHOUT_SENTINELS,
    ca: !isTls(url) && WITHOUT_TLS,
    certificate: !isTls(url) && WITHOUT_TLS,
    key: !isTls(url) && WITHOUT_TLS,
  }
  for (const [field, fault] of Object.entries(faults)) {
    const node = nodeAt(section, [field])
    if (node && fault) refuse(node, fault, report)
  }
  const [certificate, key] = [nodeAt(section, ['certificate']), nodeAt(section, ['key'])]
  if (!certificate !== !key) refuse(certificate ?? key ?? section, HALF_A_PAIR, report)
}

const HOLDS = { password: LINE, sentinel_password: LINE, ca: PEM, certificate: PEM, key: PEM }

const WITHOUT_REDIS: Refusal = {
  rule: 'redis-without-store',
  says: '`redis` is about a store in Redis, which `store` is not',
  hint: 'write `store: rediss://user@host:6379/0`, or remove `redis`',
}

const SECOND_PASSWORD: Refusal = {
  rule: 'duplicate-entry',
  says: '`store` has a password already',
  hint: 'remove one of them: only this one can change while the gateway runs',
}

const WITHOUT_SENTINELS: Refusal = {
  rule: 'redis-without-sentinels',
  says: 'this is the password of sentinels, but `store` has none',
  hint: 'write `redis+sentinel://host,host/name` in `store`, or remove this',
}

const WITHOUT_TLS: Refusal = {
  rule: 'redis-without-tls',
  says: 'certificates need TLS, which `store` does not use',
  hint: 'write `rediss://` in `store`, or remove this',
}

const HALF_A_PAIR: Refusal = {
  rule: 'certificate-without-key',
  says: '`certificate` and `key` belong together, and one of them is missing',
  hint: 'write both, or neither if the server requires no certificate',
}
