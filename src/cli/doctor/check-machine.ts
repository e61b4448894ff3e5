import { readFileSync } from 'node:fs'
import type { Finding } from '../../gateway/doctor/finding.ts'
import type { ClockReading } from '../../gateway/doctor/replica.ts'
import type { Millis } from '../../policy/config.ts'

/** Whether this package runs on a version of Node. */
export function checkNode(version: string, range = String(engines.node)): Finding {
  const isFit = isAtLeast(version, range.replace(/^>=\s*/, ''))
  const common = { check: 'node', subject: process.execPath }
  if (isFit) return { ...common, state: 'ok', text: version }
  const hint = `Install a newer one, and start it with that: ${process.execPath} is of this version`
  return { ...common, state: 'problem', text: `${version} is not ${range}`, hint }
}

const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

/** `20.19` is at least `20.9`. */
function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map(text => text.split('.').map(part => Number.parseInt(part, 10)))
  for (const [at, wanted] of (want ?? []).entries()) {
    const number = have?.[at] ?? 0
    if (number !== wanted) return number > wanted
  }
  return true
}

/** Readings of the clock of another machine. */
export interface Watched {
  /** `redis`, `the identity provider`, `onprem-core (10.0.0.11:8000)` */
  readonly who: string
  readonly kind: 'redis' | 'identity' | 'backend'
  /** At least one. */
  readonly readings: readonly ClockReading[]
}

const WARNING_MS: Millis = 2000
const PROBLEM_MS: Millis = 30_000
/** The `Date` of HTTP has no more. */
const SECOND: Millis = 1000

/** How far the clock of this machine is off from the clocks that could be read. */
export function clockFinding(watched: readonly Watched[]): Finding {
  const common = { check: 'clock', subject: 'this machine' }
  const off = watched.map(each => ({ ...each, by: skewOf(each) }))
  const [worst] = [...off].sort((a, b) => Math.abs(b.by) - Math.abs(a.by))
  if (!worst) return { ...common, state: 'ok', text: 'not compared: no other machine reported its time' }
  const most = Math.abs(worst.by)
  if (most <= WARNING_MS) return { ...common, state: 'ok', text: inStep(off) }
  const others = off.filter(({ by }) => Math.abs(by) > WARNING_MS).length - 1
  const more = others > 0 ? `, and off from ${others} more` : ''
  const text = `${Math.round(most / SECOND)} s ${worst.by > 0 ? 'ahead of' : 'behind'} ${worst.who}${more}`
  return { ...common, state: most > PROBLEM_MS ? 'problem' : 'warning', text, hint: HINT }
}

const HINT =
  'Let NTP set both clocks (timedatectl set-ntp true): sign-ins are judged by this one, and limits by that of the store.'

/** How far our clock is ahead at least: 0 where both may show the same time. */
function skewOf({ kind, readings }: Watched): Millis {
  const grain = kind === 'redis' ? 1 : SECOND
  const skews = readings.map(({ theirs, from, to }) => {
    const [least, most] = [from - theirs - grain, to - theirs]
    return Math.min(Math.max(0, least), most)
  })
  return skews.reduce((best, skew) => (Math.abs(skew) < Math.abs(best) ? skew : best))
}

/** `1 ms off redis, within 2 s of the identity provider and 9 backends` */
function inStep(off: readonly (Watched & { readonly by: Millis })[]): string {
  const redis = off.find(({ kind }) => kind === 'redis')
  const backends = off.filter(({ kind }) => kind === 'backend').length
  const others = [
    ...(off.some(({ kind }) => kind === 'identity') ? ['the identity provider'] : []),
    ...(backends > 0 ? [backends === 1 ? '1 backend' : `${backends} backends`] : []),
  ]
  return [
    ...(redis ? [`${Math.round(Math.abs(redis.by))} ms off redis`] : []),
    ...(others.length > 0 ? [`within ${WARNING_MS / SECOND} s of ${others.join(' and ')}`] : []),
  ].join(', ')
}
