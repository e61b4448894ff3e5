import type { NoticeRule } from '../../policy/limits/notice-rule.ts'
import { durationText } from '../model/units.ts'
import type { CustomerNoticesSettings, NoticeTargetSettings } from '../settings.ts'
import { type Change, placeIn, type Said, type Sides } from './changes.ts'
import { isChanged } from './values.ts'

/** The removed and added notices. Clients are not affected. */
export function compareNotices({ before, after }: Sides): readonly Change[] {
  const textsOf = ({ loaded: { config } }: Sides['before']) => config.notices.filter(hasTargets).map(noticeText)
  const [was, is] = [textsOf(before), textsOf(after)]
  const at = placeIn(after.loaded, 'notices')
  const changed = (from: string | null, to: string | null, text: string): Change => ({
    ...{ subject: 'notices', field: 'notices', from, to, text, effect: 'plumbing', at },
  })
  return [
    ...was.filter(text => !is.includes(text)).map(text => changed(text, null, `${text} are no longer announced`)),
    ...is.filter(text => !was.includes(text)).map(text => changed(null, text, `${text} are announced`)),
  ]
}

/** Rules without targets are those of customers, who choose their own. */
const hasTargets = ({ to }: NoticeRule): boolean => to.length > 0

const noticeText = ({ at, of, on = [], to }: NoticeRule): string => {
  const limits = `${at.map(percent => `${percent}%`).join(', ')} of limits of ${[...of].sort().join(', ')}`
  const about = [...(of.length > 0 ? [limits] : []), ...(on.length > 0 ? [[...on].sort().join(', ')] : [])]
  return `${about.join(', and ')} to ${[...to].sort().join(', ')}`
}

/** The changes of what customers may choose. */
export const customersRule = (from: MaybeOffer, to: MaybeOffer): readonly Said[] => {
  const [was, is] = [from ? offerText(from) : null, to ? offerText(to) : null]
  if (was === is) return []
  const text = is === null ? 'customers can no longer choose notices of their own' : `customers may choose ${is}`
  return [{ field: 'customer_notices', from: was, to: is, text, effect: 'plumbing' }]
}

type MaybeOffer = CustomerNoticesSettings | undefined

const offerText = ({ at, mail, webhooks }: CustomerNoticesSettings): string => {
  const ways = [...(mail === undefined ? [] : [`mail by ${mail}`]), ...(webhooks ? ['webhooks'] : [])]
  return `notices at ${at.map(percent => `${percent}%`).join(', ')} by ${ways.join(' and ')}`
}

type Targets = ReadonlyMap<string, NoticeTargetSettings>

/** The changes of targets. A changed secret is mentioned but not shown. */
export const targetsRule =
  ({ isUnknown }: Pick<Sides, 'isUnknown'>) =>
  (from: Targets, to: Targets): readonly Said[] =>
    [...new Set([...from.keys(), ...to.keys()])].flatMap(name => {
      const [was, is] = [from.get(name), to.get(name)]
      const text = changeOf(name, was, is, isUnknown)
      if (text === undefined) return []
      const [fromText, toText] = [was ? placeOf(was) : null, is ? placeOf(is) : null]
      return [{ field: 'notice_targets', from: fromText, to: toText, text, effect: 'plumbing' }]
    })

type MaybeTarget = NoticeTargetSettings | undefined

/** The change of a target; undefined if it stays the same. */
function changeOf(name: string, was: MaybeTarget, is: MaybeTarget, isUnknown: Sides['isUnknown']): string | undefined {
  if (!is) return `notices no longer go to ${name}`
  if (!was) return `notices can go to ${name}: ${placeOf(is)}`
  if (placeOf(was) !== placeOf(is)) return `notices to ${name} go to ${placeOf(is)}, no longer ${placeOf(was)}`
  return secretsDiffer(was, is, isUnknown) ? `the secret of target ${name} changes` : undefined
}

function secretsDiffer(was: NoticeTargetSettings, is: NoticeTargetSettings, isUnknown: Sides['isUnknown']): boolean {
  const [before, after] = [was, is].map(target =>
    target.kind === 'webhook' ? target.secret : target.kind === 'slack' ? target.url : target.password,
  )
  return before && after ? isChanged(before, after, isUnknown) : before !== after
}

/** Where a target's notices go, without secrets. */
function placeOf(target: NoticeTargetSettings): string {
  switch (target.kind) {
    case 'webhook':
      return `the webhook ${withoutQuery(target.url)}`
    case 'slack':
      return `Slack (${gathered(target.digest)})`
    case 'mail':
      return `${target.to.join(', ')} by ${target.shown}, from ${target.from} (${gathered(target.digest)})`
  }
}

const gathered = (digest: number): string => (digest === 0 ? 'each at once' : `gathered for ${durationText(digest)}`)

/** The query of a URL may contain a secret. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '')
