import type { ComponentChild } from 'preact'
import type { OwnAccount } from '../../../src/wire/account/own-account.ts'
import type { OwnKey } from '../../../src/wire/key.ts'
import type { LimitRecord } from '../../../src/wire/quota-record.ts'
import { ask } from '../shared/api.ts'
import { dotted } from '../shared/dotted.ts'
import { count, exactUsd, usd } from '../shared/fmt.ts'
import { Link } from '../shared/frame/link.tsx'
import { Meter } from '../shared/meter.tsx'
import { useResource } from '../shared/resource.ts'
import { canSignIn, signIn } from '../shared/sign-in/session.ts'
import { Header, Loaded } from '../shared/states.tsx'
import * as common from '../shared/texts/common.ts'
import { Time } from '../shared/time/time.tsx'
import { account, refreshAccount } from './account.ts'
import { limitLabel } from './limit-label.ts'
import { lookedWith } from './look-with-key.tsx'
import { Contact, PlanProblem } from './plan-problem.tsx'
import * as frameText from './texts/frame.tsx'
import * as lookWithKeyText from './texts/look-with-key.tsx'
import * as text from './texts/overview.tsx'
import { Usage } from './usage/usage.tsx'

/** The account's limits, and its use of them. */
export function Overview() {
  return (
    <>
      <Header title={frameText.titles.overview}>{text.about}</Header>
      <Loaded of={{ ...account.value, refresh: refreshAccount }}>{data => <Meters account={data} />}</Loaded>
      <Usage />
      <Colleagues />
    </>
  )
}

/** Where people look for a way to share the account, which only the operator has. */
function Colleagues() {
  return lookedWith.value === undefined ? (
    <section>
      <h2>{text.colleagues}</h2>
      <p class="muted">{text.toShare}</p>
      <Contact />
    </section>
  ) : null
}

function Meters({ account: shown }: { readonly account: OwnAccount }) {
  const { plan, declared, frozen, models, tools, uses } = shown
  return (
    <>
      <PlanProblem account={shown} />
      <Looking account={shown} />
      {!frozen && declared && (
        <section aria-label={text.limits}>
          <div class="box cells">
            <Quota account={shown} />
            {uses
              .filter(use => !isQuota(use))
              .map(use => (
                <Cell key={keyOf(use)} use={use} account={shown} whose={whoseOf(use, shown)} />
              ))}
            {shown.signed_in && uses.some(({ of }) => of === 'key') && <KeyCells account={shown} />}
            <div>
              <p class="muted">{text.plan}</p>
              <p class="figure">
                <bdi>{plan}</bdi>
              </p>
              <p class="small muted">{text.has(models.length, tools.length)}</p>
            </div>
          </div>
        </section>
      )}
    </>
  )
}

/** Who came by a key is told what it is not. */
function Looking({ account: { kind } }: { readonly account: OwnAccount }) {
  const mask = lookedWith.value
  if (mask === undefined) return null
  return (
    <div class="note info split">
      <p>{(kind === 'guest' ? lookWithKeyText.ofGuest : lookWithKeyText.ofKey)(<code>{mask}</code>)}</p>
      {canSignIn && (
        <button type="button" onClick={() => void signIn()}>
          {common.signIn}
        </button>
      )}
    </div>
  )
}

/** The money of the billing window. A plan with overage serves past it: the meter ends where that does, if it ever does. */
function Quota({ account: { window, limits } }: { readonly account: OwnAccount }) {
  const [used, held, limit] = [window.used_usd, window.held_usd, window.limit_usd ?? '0'].map(Number)
  if (used === undefined || held === undefined || limit === undefined) return null
  const overage = limits?.overage
  const cap = typeof overage === 'object' ? overage.cap_usd : undefined
  const notes = [
    text.left(usd(Math.max(0, limit - used - held))),
    ...(held > 0 ? [text.held(usd(held))] : []),
    ...(cap === undefined ? [] : [text.cap(exactUsd(cap))]),
    ...(overage === 'on' ? [text.overage] : []),
    text.resets(<Time at={window.end} />),
  ]
  return (
    <div>
      <p class="muted">{text.month}</p>
      <p class="figure">
        {usd(used)} <small>{text.of(usd(limit))}</small>
      </p>
      <Meter
        label={text.month}
        used={used}
        held={held}
        most={limit + Number(cap ?? 0)}
        text={text.usedOf(usd(used), usd(limit))}
      />
      <p class="small muted">{dotted(notes)}</p>
    </div>
  )
}

const isQuota = ({ measure, per, of, model }: LimitRecord): boolean =>
  measure === 'usd' && per === 'month' && of === 'account' && model === null

const keyOf = ({ measure, per, of, model, limit }: LimitRecord): string =>
  JSON.stringify([measure, per, of, model, limit])

/** Each key has a count of its own: this is that of the key, or of what comes by sign-in. */
const whoseOf = ({ of, used }: LimitRecord, { signed_in }: OwnAccount): string | undefined =>
  of !== 'key' || used === null ? undefined : signed_in ? text.signIn : text.thisKey

/** The limits of each working key, by its name. */
function KeyCells({ account: shown }: { readonly account: OwnAccount }) {
  const keys = useResource<{ readonly data: readonly OwnKey[] }>(() => ask('/v1/keys/developer'), 15_000)
  const working = keys.data?.data.filter(({ uses }) => uses !== null) ?? []
  return (
    <>
      {working
        .slice(0, MOST_KEYS)
        .flatMap(({ id, name, key, uses }) =>
          (uses ?? []).map(use => <Cell key={id + keyOf(use)} use={use} account={shown} whose={name ?? key} />),
        )}
      {working.length > MOST_KEYS && (
        <div>
          <Link to="keys">{text.moreKeys(working.length - MOST_KEYS)}</Link>
        </div>
      )}
    </>
  )
}

/** That have cells of their own; the page of keys has all. */
const MOST_KEYS = 5

interface CellProps {
  readonly use: LimitRecord
  readonly account: OwnAccount
  /** The key that is counted. */
  readonly whose?: string | undefined
}

function Cell({ use, account: shown, whose }: CellProps) {
  const { measure, limit, used, held } = use
  const amount = measure === 'usd' ? usd : count
  const label = whose === undefined ? limitLabel(use) : `${limitLabel({ ...use, of: 'account' })}, ${whose}`
  const words = text.usedOf(amount(used ?? 0), amount(limit))
  return (
    <div>
      <p class="muted">{label}</p>
      <p class="figure">
        {used === null ? '–' : amount(used)} <small>{text.of(amount(limit))}</small>
      </p>
      {used === null ? (
        <p class="small muted">{text.counts[use.of]}</p>
      ) : (
        <>
          <Meter label={label} used={used} held={held ?? 0} most={limit} text={words} />
          <p class="small muted">{dotted(notesOf(use, shown))}</p>
        </>
      )}
    </div>
  )
}

function notesOf(use: LimitRecord, { under_way }: OwnAccount): readonly ComponentChild[] {
  const { measure, per, limit, used, held, resetAt } = use
  const amount = measure === 'usd' ? usd : count
  const reserved = held ? [text.held(amount(held))] : []
  if (measure === 'requests' && per === 'minute') return [...reserved, text.underWay(under_way)]
  if (measure === 'tokens' && per === 'minute') return [...reserved, text.bothTokens]
  const isShort = per === 'minute' || per === 'second' || resetAt === null
  if (isShort) return reserved
  const left = text.left(amount(Math.max(0, limit - (used ?? 0) - (held ?? 0))))
  return [left, ...reserved, text.resets(<Time at={resetAt} />)]
}
