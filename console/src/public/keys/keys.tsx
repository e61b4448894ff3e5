import { useRef, useState } from 'preact/hooks'
import type { OwnKey } from '../../../../src/wire/key.ts'
import { type ApiProblem, ask } from '../../shared/api.ts'
import { toast } from '../../shared/frame/toast.tsx'
import { problemFrom, useResource } from '../../shared/resource.ts'
import { Empty, Header, Loaded, Problem } from '../../shared/states.tsx'
import { account } from '../account.ts'
import { PlanProblem } from '../plan-problem.tsx'
import * as frameText from '../texts/frame.tsx'
import * as text from '../texts/keys.tsx'
import { FreshKey } from './fresh-key.tsx'
import { KeyForm, type KeyWish } from './key-form.tsx'
import { ActiveKeys, EndedKeys, type Rotation } from './key-list.tsx'
import { UseIt } from './use-it.tsx'

/** The keys of the account: made, replaced and ended here. A value is in this page alone, and gone with it. */
export function Keys() {
  const keys = useResource<KeyList>(() => ask('/v1/keys/developer'))
  const [fresh, setFresh] = useState<Fresh>()
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
  const show = (value: string, models: Fresh['models']) => {
    panel.current++
    setFresh({ value, models })
  }
  const mint = async (wish: KeyWish) => {
    const minted = await change('', wish)
    if (!minted) return
    setMaking(false)
    if (minted.existing) toast(text.existing)
    else show(minted.key, wish.models)
  }
  const rotate = async (key: OwnKey, how: Rotation) => {
    const rotated = await change('/rotate', { id: key.id, ...how })
    if (rotated) show(rotated.key, key.models ?? undefined)
  }
  const revoke = async (key: OwnKey) => {
    if (await change('/revoke', { id: key.id })) toast(text.revoked)
  }

  return (
    <>
      <Header
        title={frameText.titles.keys}
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
      {fresh !== undefined && <FreshKey key={panel.current} {...fresh} onDone={() => setFresh(undefined)} />}
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

/** A key that was just made. */
interface Fresh {
  readonly value: string
  readonly models: readonly string[] | undefined
}

interface KeyList {
  readonly data: readonly OwnKey[]
}

/** The answer to a change of keys: the full value of a new key, or a mask. */
interface Changed {
  readonly key: string
  readonly existing?: boolean
}

const isActive = ({ status }: OwnKey): boolean => status === 'active'
