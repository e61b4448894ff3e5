import { relative } from 'node:path'
import { archiveText } from '../check/fixed.ts'
import { durationText } from '../model/units.ts'
import type { ArchiveSettings, Secret, Settings } from '../settings.ts'
import { parts, plumbing, type Rule, type Sides } from './changes.ts'
import { pathChange, pathText, SECTIONS, secretChange, setting } from './setting-rules.ts'

export function storeRule(sides: Sides): Rule<Settings['store']> {
  const { before, after } = sides
  const embedded = (path: string) => `embedded:${path}`
  return (from, to) => {
    const field = 'store'
    if (from.kind === 'embedded' && to.kind === 'embedded')
      return pathChange(field, from.path, to.path, sides, embedded)
    const [was, is] = [
      from.kind === 'redis' ? from.shown : embedded(pathText(relative(before.directory, from.path), from.path)),
      to.kind === 'redis' ? to.shown : embedded(pathText(relative(after.directory, to.path), to.path)),
    ]
    if (was !== is) return [{ field, from: was, to: is, text: `${field} ${was} → ${is}`, effect: 'plumbing' }]
    if (from.kind !== 'redis' || to.kind !== 'redis') return []
    const [one, other] = [from.tls, to.tls]
    return [
      ...secretChange('redis.password', 'the user or password of the store', from.url, to.url, sides),
      ...secretChange(
        'redis.sentinel_password',
        'the password of the sentinels',
        from.sentinelPassword,
        to.sentinelPassword,
        sides,
      ),
      ...secretChange('redis.ca', 'the authority of the certificate of Redis', one.ca, other.ca, sides),
      ...secretChange('redis.certificate', 'the certificate for Redis', one.certificate, other.certificate, sides),
      ...parts(SECTIONS.redis)(from, to, ''),
    ]
  }
}

/** Another archive lacks the contents of this one. */
export const archiveRule =
  (sides: Sides): Rule<ArchiveSettings | undefined> =>
  (from, to, ...rest) => {
    const [was, is] = [from && archiveText(from), to && archiveText(to)]
    const field = 'ledger.archive'
    if (was !== is)
      return [
        {
          field,
          from: was ?? null,
          to: is ?? null,
          text: `${field} ${was ?? 'none'} → ${is ?? 'none'}`,
          effect: was === undefined ? 'plumbing' : 'lost',
        },
      ]
    if (!from || !to) return []
    const secretOf = (archive: ArchiveSettings, name: string) =>
      Object.entries(archive).find(([each]) => each === name)?.[1] as Secret | undefined
    return [
      ...setting(`${field}.keep`, durationText, plumbing)(from.keep, to.keep, ...rest),
      ...['password', 'ca', 'certificate', 'key', 'token'].flatMap(name =>
        secretChange(field, `the ${name} of the archive`, secretOf(from, name), secretOf(to, name), sides),
      ),
    ]
  }
