import type { ComponentChild } from 'preact'
import { useState } from 'preact/hooks'
import type { OwnKey } from '../../../../src/wire/key.ts'
import type { LimitRecord } from '../../../../src/wire/quota-record.ts'
import { dotted } from '../../shared/dotted.ts'
import { count, usd } from '../../shared/fmt.ts'
import { Meter } from '../../shared/meter.tsx'
import { State } from '../../shared/state.tsx'
import { Time } from '../../shared/time/time.tsx'
import { limitLabel } from '../limit-label.ts'
import * as text from '../texts/keys.tsx'
import * as overviewText from '../texts/overview.tsx'
import { LimitsDialog, RevokeDialog, RotateDialog } from './key-dialogs.tsx'
import type { KeyLimit } from './key-limits.tsx'

/** How a key gets a new value, as POST /v1/keys/developer/rotate takes it. */
export interface Rotation {
  readonly grace?: string
  readonly limits?: readonly KeyLimit[]
}

interface ActiveKeysProps {
  readonly keys: readonly OwnKey[]
  readonly isBusy: boolean
  readonly onRotate: (key: OwnKey, how: Rotation) => void
  readonly onRevoke: (key: OwnKey) => void
}

/** The keys that work, with what is used of the limits of each. */
export function ActiveKeys({ keys, isBusy, onRotate, onRevoke }: ActiveKeysProps) {
  const [asked, ask] = useState<{ readonly what: 'rotate' | 'limits' | 'revoke'; readonly key: OwnKey }>()
  const close = () => ask(undefined)
  return (
    <>
      <ul class="box keys" aria-label={text.activeKeys}>
        {keys.map(key => (
          <li key={key.id} class="split">
            <div>
              <p>
                {key.name !== null && (
                  <>
                    <b>
                      <bdi>{key.name}</bdi>
                    </b>{' '}
                  </>
                )}
                <code>{key.key}</code>
              </p>
              <p class="muted">
                <State tone="ok">{text.active}</State> · {dotted(factsOf(key))}
              </p>
              {key.uses !== null && <Uses uses={key.uses} />}
            </div>
            <div class="row">
              {key.replaced_by === null && (
                <>
                  <button type="button" disabled={isBusy} onClick={() => ask({ what: 'limits', key })}>
                    {text.limits}
                    <span class="hidden">{nameOf(key)}</span>
                  </button>
                  <button type="button" disabled={isBusy} onClick={() => ask({ what: 'rotate', key })}>
                    {text.rotate}
                    <span class="hidden">{nameOf(key)}</span>
                  </button>
                </>
              )}
              <button type="button" class="danger" disabled={isBusy} onClick={() => ask({ what: 'revoke', key })}>
                {text.revoke}
                <span class="hidden">{nameOf(key)}</span>
              </button>
            </div>
          </li>
        ))}
      </ul>
      {asked?.what === 'rotate' && (
        <RotateDialog
          name={nameOf(asked.key)}
          onRotate={grace => onRotate(asked.key, rotationOf(grace))}
          onClose={close}
        />
      )}
      {asked?.what === 'limits' && (
        <LimitsDialog
          name={nameOf(asked.key)}
          limits={asked.key.limits}
          onChange={(limits, grace) => onRotate(asked.key, { ...rotationOf(grace), limits })}
          onClose={close}
        />
      )}
      {asked?.what === 'revoke' && (
        <RevokeDialog name={nameOf(asked.key)} onRevoke={() => onRevoke(asked.key)} onClose={close} />
      )}
    </>
  )
}

/** With the mask, since a rotated key and the one after it have the same name. */
const nameOf = ({ name, key }: OwnKey): string => (name === null ? key : `${name} ${key}`)

const factsOf = (key: OwnKey): readonly ComponentChild[] => {
  const { created, plan, expires, last_used, models, addresses, replaced_by } = key
  return [
    text.created(<Time at={created * 1000} />),
    text.plan(plan),
    ...(expires === null ? [] : [(replaced_by === null ? text.ends : text.rotatedEnds)(<Time at={expires * 1000} />)]),
    last_used === null ? text.unused : text.lastUsed(<Time at={last_used * 1000} />),
    ...(models === null ? [] : [text.only(models.join(', '))]),
    ...(addresses === null ? [] : [text.from(addresses.join(', '))]),
  ]
}

const Uses = ({ uses }: { readonly uses: readonly LimitRecord[] }) => (
  <ul class="uses">
    {uses.map(use => {
      const { measure, limit, used, held } = use
      const amount = measure === 'usd' ? usd : count
      // All that it counts is the key's.
      const label = limitLabel({ ...use, of: 'account' })
      const words = overviewText.usedOf(amount(used ?? 0), amount(limit))
      return (
        <li key={`${label} ${limit}`} class="small muted">
          {label}: {words}
          <Meter label={label} used={used ?? 0} held={held ?? 0} most={limit} text={words} />
        </li>
      )
    })}
  </ul>
)

export const EndedKeys = ({ keys }: { readonly keys: readonly OwnKey[] }) => (
  <section>
    <h2>{text.ended}</h2>
    <div class="box scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{text.key}</th>
            <th scope="col">{text.endedBy}</th>
            <th scope="col">{text.createdOn}</th>
          </tr>
        </thead>
        <tbody>
          {keys.map(key => (
            <tr key={key.id} class="off">
              <td>
                {key.name !== null && <bdi>{key.name} </bdi>}
                <code>{key.key}</code>
              </td>
              <td>{text.endings[key.status] ?? key.status}</td>
              <td>
                <Time at={key.created * 1000} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)

const rotationOf = (grace: string | undefined): Rotation => (grace === undefined ? {} : { grace })
