import { Health } from './health.tsx'
import { Series } from './series.tsx'

/** The top of the start page: the health line and the charts of the last hour or day. */
export const Outlook = () => (
  <>
    <Health />
    <Series />
  </>
)
