import { useState } from 'preact/hooks'
import { Dialog } from '../../shared/dialog.tsx'
import * as keyLimitsText from '../texts/key-limits.tsx'
import * as revokeText from '../texts/revoke.tsx'
import * as rotateText from '../texts/rotate.tsx'
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
      title={rotateText.title(name)}
      action={rotateText.action}
      onClose={onClose}
      onConfirm={() => onRotate(grace === '' ? undefined : grace)}
    >
      <p>{rotateText.what}</p>
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
      title={keyLimitsText.ofKey(name)}
      action={keyLimitsText.action}
      onClose={onClose}
      onConfirm={() => onChange(limitsOf(said, limits), grace === '' ? undefined : grace)}
    >
      <p>{keyLimitsText.what}</p>
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
      {rotateText.grace}
      <select value={value} onChange={event => onChange(event.currentTarget.value)}>
        {rotateText.graces.map(([grace, text]) => (
          <option key={grace} value={grace}>
            {text}
          </option>
        ))}
      </select>
    </label>
    <p class="muted">{value === '' ? rotateText.atOnce : rotateText.untilThen}</p>
  </>
)

interface RevokeProps {
  readonly name: string
  readonly onRevoke: () => void
  readonly onClose: () => void
}

/** Asks before a key ends for good. */
export const RevokeDialog = ({ name, onRevoke, onClose }: RevokeProps) => (
  <Dialog title={revokeText.title(name)} action={revokeText.action} danger onClose={onClose} onConfirm={onRevoke}>
    <p>{revokeText.what}</p>
  </Dialog>
)
