import { useState } from 'preact/hooks'
import { type ApiProblem, ask } from '../shared/api.ts'
import { Mark } from '../shared/frame/mark.tsx'
import { anchor, hrefOf, replaceAddress } from '../shared/frame/router.ts'
import { problemFrom } from '../shared/resource.ts'
import { Problem } from '../shared/states.tsx'
import { Time } from '../shared/time/time.tsx'
import { account } from './account.ts'
import * as text from './texts/device.tsx'

interface Device {
  readonly client: string
  readonly address: string
  readonly asked_at: string
}

/** Asks whether a device that shows a code is signed in. A link alone signs in none: its reader presses a button, and another one to approve. */
export function DevicePage() {
  const [code, setCode] = useState(anchor.peek().slice(DEVICE.length))
  const [device, setDevice] = useState<Device>()
  const [done, setDone] = useState<string>()
  const [problem, setProblem] = useState<ApiProblem>()
  const [isBusy, setBusy] = useState(false)
  const send = async (path: string, then: (answer: Device) => void) => {
    setBusy(true)
    setProblem(undefined)
    try {
      then(await ask<Device>(`/v1/account/device${path}`, { user_code: code }))
    } catch (error) {
      setProblem(problemFrom(error))
    }
    setBusy(false)
  }
  const decide = (path: string, words: string) => void send(path, () => setDone(words))
  return (
    <div class="door">
      <main>
        <Mark />
        {done !== undefined ? (
          <>
            <h1>{text.title}</h1>
            <p role="status">{done}</p>
            <button type="button" onClick={() => replaceAddress(hrefOf(''))}>
              {text.toConsole}
            </button>
          </>
        ) : device ? (
          <Asked
            device={device}
            code={code}
            isBusy={isBusy}
            problem={problem}
            onApprove={() => decide('/approve', text.approved)}
            onDeny={() => decide('/deny', text.denied)}
          />
        ) : (
          <form
            class="stack"
            onSubmit={event => {
              event.preventDefault()
              void send('', setDevice)
            }}
          >
            <h1>{text.title}</h1>
            <p class="muted">{text.about}</p>
            <p>
              {text.account} <bdi>{account.value.data?.label}</bdi>
            </p>
            {problem && <Problem problem={problem} />}
            <label class="field">
              {text.code}
              <input
                value={code}
                autocomplete="off"
                spellcheck={false}
                maxLength={40}
                onInput={event => setCode(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="primary" disabled={isBusy || code.trim() === ''}>
              {text.look}
            </button>
          </form>
        )}
      </main>
    </div>
  )
}

interface AskedProps {
  readonly device: Device
  readonly code: string
  readonly isBusy: boolean
  readonly problem: ApiProblem | undefined
  readonly onApprove: () => void
  readonly onDeny: () => void
}

/** Who asks, from where, and for what; none of the device's own words but its name and version. */
const Asked = ({ device, code, isBusy, problem, onApprove, onDeny }: AskedProps) => (
  <>
    <h1>
      <bdi>{text.asks(device.client)}</bdi>
    </h1>
    <p class="note">{text.compare}</p>
    <p>
      <code>{code.toUpperCase()}</code>
    </p>
    {problem && <Problem problem={problem} />}
    <dl class="terms">
      <dt>{text.account}</dt>
      <dd>
        <bdi>{account.value.data?.label}</bdi>
      </dd>
      <dt>{text.address}</dt>
      <dd>{device.address}</dd>
      <dt>{text.asked}</dt>
      <dd>
        <Time at={device.asked_at} />
      </dd>
      <dt>{text.gets}</dt>
      <dd>{text.forInference}</dd>
    </dl>
    <div class="row">
      <button type="button" class="primary" disabled={isBusy} onClick={onApprove}>
        {text.approve}
      </button>
      <button type="button" disabled={isBusy} onClick={onDeny}>
        {text.deny}
      </button>
    </div>
  </>
)

/** The text before a code in an address, behind `#`: no server and no log has it. */
const DEVICE = 'device='
