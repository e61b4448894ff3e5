import type { Settings } from '../../config/settings.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'
import { oneLine } from '../../wire/printable.ts'

/** Shorter ones are words that stand anywhere. */
const LEAST = 6

/** A finding on one line, and without a secret, whoever may have repeated it. */
export function redacted(finding: Finding, settings: Settings): Finding {
  const secrets = secretsOf(settings)
  const clean = (text: string) => oneLine(secrets.reduce((said, secret) => said.replaceAll(secret, '[redacted]'), text))
  const { subject, text, hint } = finding
  return { ...finding, subject: clean(subject), text: clean(text), ...(hint && { hint: clean(hint) }) }
}

/** Longest first: one may be a part of another. */
function secretsOf({ backends, tools, guests, store }: Settings): readonly string[] {
  const keys = [...backends.values(), ...tools.values()].flatMap(each => ('key' in each && each.key ? [each.key] : []))
  const secrets = [...keys, ...(guests?.secrets ?? [])].map(secret => secret.reveal())
  const all = [...secrets, ...(store.kind === 'redis' ? passwordsOf(store.url.reveal()) : [])]
  return [...new Set(all)].filter(({ length }) => length >= LEAST).sort((a, b) => b.length - a.length)
}

/** As it is written in a URL, and as it is. */
function passwordsOf(url: string): readonly string[] {
  const { password } = new URL(url)
  return [password, decodeURIComponent(password)]
}
