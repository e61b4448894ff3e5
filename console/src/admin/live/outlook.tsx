import './outlook.css'
import { Health } from './health.tsx'
import { Series } from './series.tsx'

/** What an operator looks at first: whether everything is all right, and what happened lately. */
export const Outlook = () => (
  <>
    <Health />
    <Series />
  </>
)
