import { useState } from 'preact/hooks'
import { Dialog } from '../../shared/dialog.tsx'
import { texts } from '../texts.tsx'
import { type KeyLimit, LimitFields, limitsOf, textsOf } from './key-limits.tsx'

interface RotateProps {
  readonly name: string
  /** `grace` is how long the value before works on. */
  readonly onRotate: (grace: string | undefined) => void
  readonly onClose: () => void
}

/** Asks before a key gets a new value. */
export function RotateDialog({ name, onRotate, onClose }: RotateProps) {
  const [grace, setGrace] = useState('')
  return (
    <Dialog
      title={texts.rotate.title(name)}
      action={texts.rotate.action}
      onClose={onClose}
      onConfirm={() => onRotate(grace === '' ? undefined : grace)}
    >
      <p>{texts.rotate.what}</p>
      <Grace value={grace} onChange={setGrace} />
    </Dialog>
  )
}

interface LimitsProps {
  readonly name: string
  readonly limits: readonly KeyLimit[] | null
  readonly onChange: (limits: readonly KeyLimit[], grace: string | undefined) => void
  readonly onClose: () => void
}

/** Asks for other limits of a key, which come with a new value. */
export function LimitsDialog({ name, limits, onChange, onClose }: LimitsProps) {
  const [grace, setGrace] = useState('24h')
  const [said, say] = useState(textsOf(limits))
  return (
    <Dialog
      title={texts.keyLimits.ofKey(name)}
      action={texts.keyLimits.action}
      onClose={onClose}
      onConfirm={() => onChange(limitsOf(said, limits), grace === '' ? undefined : grace)}
    >
      <p>{texts.keyLimits.what}</p>
      <LimitFields value={said} onChange={say} />
      <Grace value={grace} onChange={setGrace} />
    </Dialog>
  )
}

interface GraceProps {
  readonly value: string
  readonly onChange: (grace: string) => void
}

const Grace = ({ value, onChange }: GraceProps) => (
  <>
    <label class="field">
      {texts.rotate.grace}
      <select value={value} onChange={event => onChange(event.currentTarget.value)}>
        {texts.rotate.graces.map(([grace, text]) => (
          <option key={grace} value={grace}>
            {text}
          </option>
        ))}
      </select>
    </label>
    {value === '' && <p class="muted">{texts.rotate.atOnce}</p>}
  </>
)

interface RevokeProps {
  readonly name: string
  readonly onRevoke: () => void
  readonly onClose: () => void
}

/** Asks before a key ends for good. */
export const RevokeDialog = ({ name, onRevoke, onClose }: RevokeProps) => (
  <Dialog title={texts.revoke.title(name)} action={texts.revoke.action} danger onClose={onClose} onConfirm={onRevoke}>
    <p>{texts.revoke.what}</p>
  </Dialog>
)
