import { useState } from 'preact/hooks'
import { Dialog } from '../shared/dialog.tsx'
import { texts } from './texts.tsx'

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
      <label class="field">
        {texts.rotate.grace}
        <select value={grace} onChange={event => setGrace(event.currentTarget.value)}>
          {texts.rotate.graces.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {grace === '' && <p class="muted">{texts.rotate.atOnce}</p>}
    </Dialog>
  )
}

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
