import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import * as common from './texts/common.ts'

interface DialogProps {
  readonly title: string
  /** The label of the button that does it. */
  readonly action: string
  readonly danger?: boolean
  readonly children: ComponentChildren
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something happens. Esc, the backdrop and Cancel change nothing; the focus returns to where it was. */
export function Dialog({ title, action, danger = false, children, onConfirm, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    cancel.current?.focus()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    onClose()
    onConfirm()
  }
  return (
    // The backdrop is the dialog itself, outside of its form; Esc is the way of the keyboard.
    // biome-ignore lint/a11y/useKeyWithClickEvents: a dialog is closed by Esc
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={event => event.target === dialog.current && onClose()}
    >
      <form onSubmit={submit}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        <div class="row end">
          <button type="button" ref={cancel} onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" class={danger ? 'danger' : 'primary'}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  )
}
