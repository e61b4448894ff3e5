import { useState } from 'preact/hooks'
import { Dialog } from '../shared/dialog.tsx'

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
      title={`Rotate ${name}?`}
      action="Rotate"
      onClose={onClose}
      onConfirm={() => onRotate(grace === '' ? undefined : grace)}
    >
      <p>A new value takes the place of the old one. Name, end and restrictions stay.</p>
      <label class="field">
        The old value stops
        <select value={grace} onChange={event => setGrace(event.currentTarget.value)}>
          {GRACES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {grace === '' && (
        <p class="muted">The old one is refused from the very next request, so have your deployment at hand.</p>
      )}
    </Dialog>
  )
}

const GRACES = [
  ['', 'at once'],
  ['1h', 'in an hour'],
  ['24h', 'in a day'],
  ['7d', 'in 7 days'],
] as const

interface RevokeProps {
  readonly name: string
  readonly onRevoke: () => void
  readonly onClose: () => void
}

/** Asks before a key ends for good. */
export const RevokeDialog = ({ name, onRevoke, onClose }: RevokeProps) => (
  <Dialog title={`Revoke ${name}?`} action="Revoke" danger onClose={onClose} onConfirm={onRevoke}>
    <p>
      Whatever uses it is refused from the very next request. This cannot be taken back; you can create another key.
    </p>
  </Dialog>
)
