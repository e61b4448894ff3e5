import { Link } from '../shared/frame/link.tsx'
import { type FieldProps, partsOf } from './alarm-fields.ts'

/** Details of a message; accounts, requests and pools link to their pages. */
export const Details = ({ fields }: { readonly fields: Readonly<Record<string, FieldProps['value']>> }) =>
  Object.keys(fields).length > 0 && (
    <p class="small muted pairs">
      {Object.entries(fields).map(([name, value]) => (
        <Field key={name} name={name} value={value} />
      ))}
    </p>
  )

function Field({ name, value }: FieldProps) {
  const [words, shown] = partsOf(name, value)
  const page = PAGES[name]
  return (
    <span>
      {words}{' '}
      {page ? (
        <Link to={page} query={{ id: shown }}>
          <code>{shown}</code>
        </Link>
      ) : (
        <code>{shown}</code>
      )}
    </span>
  )
}

const PAGES: Readonly<Record<string, string>> = { account: 'accounts', requestId: 'requests' }
