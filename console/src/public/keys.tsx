import { useRef, useState } from 'preact/hooks'
import type { OwnKey } from '../../../src/wire/key.ts'
import { type ApiProblem, ask } from '../shared/api.ts'
import { count, day, moment, usd } from '../shared/fmt.ts'
import { toast } from '../shared/frame/toast.tsx'
import { problemFrom, useResource } from '../shared/resource.ts'
import { Empty, Header, Loaded, Problem } from '../shared/states.tsx'
import { account } from './account.ts'
import { FreshKey } from './fresh-key.tsx'
import { RevokeDialog, RotateDialog } from './key-dialogs.tsx'
import { KeyForm, type KeyWish } from './key-form.tsx'
import { limitLabel } from './limit-label.ts'
import { PlanProblem } from './plan-problem.tsx'
import { texts } from './texts.tsx'
import { UseIt } from './use-it.tsx'

/** The keys of the account: made, replaced and ended here. A value is in this page alone, and gone with it. */
export function Keys() {
  const keys = useResource<KeyList>(() => ask('/v1/keys/developer'))
  const [fresh, setFresh] = useState<string>()
  const [problem, setProblem] = useState<ApiProblem>()
  const [isBusy, setBusy] = useState(false)
  const [isMaking, setMaking] = useState(false)
  const panel = useRef(0)

  /** Every change shows what there is now, however it ended. */
  const change = async (path: string, body: object): Promise<Changed | undefined> => {
    setBusy(true)
    setProblem(undefined)
    try {
      return await ask<Changed>(`/v1/keys/developer${path}`, body)
    } catch (error) {
      setProblem(problemFrom(error))
      return undefined
    } finally {
      setBusy(false)
      void keys.refresh()
    }
  }
  const show = (value: string) => {
    panel.current++
    setFresh(value)
  }
  const mint = async (wish: KeyWish) => {
    const minted = await change('', wish)
    if (!minted) return
    setMaking(false)
    if (minted.existing) toast(text.existing)
    else show(minted.key)
  }
  const rotate = async (key: OwnKey, grace: string | undefined) => {
    const rotated = await change('/rotate', { id: key.id, ...(grace !== undefined && { grace }) })
    if (rotated) show(rotated.key)
  }
  const revoke = async (key: OwnKey) => {
    if (await change('/revoke', { id: key.id })) toast(text.revoked)
  }

  return (
    <>
      <Header
        title={texts.titles.keys}
        aside={
          !isMaking &&
          keys.data?.data.some(isActive) && (
            <button type="button" class="primary" onClick={() => setMaking(true)}>
              {text.create}
            </button>
          )
        }
      >
        {text.about}
      </Header>
      {account.value.data && <PlanProblem account={account.value.data} />}
      {problem && <Problem problem={problem} />}
      {fresh !== undefined && <FreshKey key={panel.current} value={fresh} onDone={() => setFresh(undefined)} />}
      {isMaking && (
        <KeyForm
          models={account.value.data?.models ?? []}
          isFirst={!keys.data?.data.some(isActive)}
          isBusy={isBusy}
          onMint={mint}
          onCancel={() => setMaking(false)}
        />
      )}
      <Loaded of={keys}>
        {({ data }) => {
          const active = data.filter(isActive)
          const ended = data.filter(key => !isActive(key))
          return (
            <>
              {active.length > 0 && <ActiveKeys keys={active} isBusy={isBusy} onRotate={rotate} onRevoke={revoke} />}
              {active.length === 0 && !isMaking && fresh === undefined && (
                <Empty fact={text.none}>
                  <p class="muted">{text.noneYet}</p>
                  <div class="row">
                    <button type="button" class="primary" disabled={isBusy} onClick={() => void mint({})}>
                      {text.create}
                    </button>
                    <button type="button" onClick={() => setMaking(true)}>
                      {text.withName}
                    </button>
                  </div>
                </Empty>
              )}
              {active.length > 0 && fresh === undefined && (
                <section>
                  <h2>{text.useIt}</h2>
                  <div class="box">
                    <UseIt />
                  </div>
                </section>
              )}
              {ended.length > 0 && <EndedKeys keys={ended} />}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

interface KeyList {
  readonly data: readonly OwnKey[]
}

/** What a change of keys answers: the full value of a new key, or a mask. */
interface Changed {
  readonly key: string
  readonly existing?: boolean
}

const isActive = ({ status }: OwnKey): boolean => status === 'active'

interface ActiveKeysProps {
  readonly keys: readonly OwnKey[]
  readonly isBusy: boolean
  readonly onRotate: (key: OwnKey, grace: string | undefined) => void
  readonly onRevoke: (key: OwnKey) => void
}

function ActiveKeys({ keys, isBusy, onRotate, onRevoke }: ActiveKeysProps) {
  const [asked, ask] = useState<{ readonly what: 'rotate' | 'revoke'; readonly key: OwnKey }>()
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
                <span class="dot ok">{text.active}</span> · {factsOf(key).join(' · ')}
              </p>
            </div>
            <div class="row">
              <button type="button" disabled={isBusy} onClick={() => ask({ what: 'rotate', key })}>
                {text.rotate}
                <span class="hidden">{nameOf(key)}</span>
              </button>
              <button type="button" class="danger" disabled={isBusy} onClick={() => ask({ what: 'revoke', key })}>
                {text.revoke}
                <span class="hidden">{nameOf(key)}</span>
              </button>
            </div>
          </li>
        ))}
      </ul>
      {asked?.what === 'rotate' && (
        <RotateDialog name={nameOf(asked.key)} onRotate={grace => onRotate(asked.key, grace)} onClose={close} />
      )}
      {asked?.what === 'revoke' && (
        <RevokeDialog name={nameOf(asked.key)} onRevoke={() => onRevoke(asked.key)} onClose={close} />
      )}
    </>
  )
}

/** With the mask, since a rotated key and the one after it have the same name. */
const nameOf = ({ name, key }: OwnKey): string => (name === null ? key : `${name} ${key}`)

const factsOf = (key: OwnKey): readonly string[] => {
  const { created, plan, expires, last_used, models, addresses, limits, replaced_by } = key
  return [
    text.created(day(created * 1000)),
    text.plan(plan),
    ...(expires === null ? [] : [(replaced_by === null ? text.ends : text.rotatedEnds)(moment(expires * 1000))]),
    last_used === null ? text.unused : text.lastUsed(moment(last_used * 1000)),
    ...(models === null ? [] : [text.only(models.join(', '))]),
    ...(addresses === null ? [] : [text.from(addresses.join(', '))]),
    ...(limits ?? []).map(limitFact),
  ]
}

/** Of a limit of its own: all it counts is the key's. */
function limitFact({ measure, per, model, most }: NonNullable<OwnKey['limits']>[number]): string {
  const label = limitLabel({ measure, per: per ?? null, of: 'account', model: model ?? null })
  return text.atMost(measure === 'usd' ? usd(most / 1e9) : count(most), label.toLowerCase())
}

const EndedKeys = ({ keys }: { readonly keys: readonly OwnKey[] }) => (
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
              <td>{day(key.created * 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)

const text = texts.keys
