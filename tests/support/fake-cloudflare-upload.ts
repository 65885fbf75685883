import { Type } from 'typebox';
import { closed } from '../../src-main/contract/shapes.ts';
import { firstProblem, isValid } from '../../src-main/storage/schema-check.ts';
import type { FakeCloudflareApi } from './fake-cloudflare-api.ts';
import type { Answer, Asked } from './fake-cloudflare-calls.ts';

const text = Type.String({ minLength: 1 });

const Metadata = closed({
  main_module: text,
  compatibility_date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
  bindings: Type.Array(
    Type.Union([
      closed({ type: Type.Literal('durable_object_namespace'), name: text, class_name: text }),
      closed({ type: Type.Literal('secret_text'), name: text, text }),
      closed({ type: Type.Literal('plain_text'), name: text, text }),
    ]),
  ),
  migrations: Type.Optional(
    closed({ old_tag: Type.Optional(text), new_tag: text, new_sqlite_classes: Type.Array(text) }),
  ),
});

/** Takes the upload of a Worker: multipart/form-data with its metadata and its modules. */
export async function uploadedScript(
  { problems, scripts }: FakeCloudflareApi,
  name: string,
  { url, body, type }: Asked,
): Promise<Answer> {
  const report = (problem: string) => void problems.push(`${url.pathname}: ${problem}`);
  if (!/^multipart\/form-data; ?boundary=/.test(type)) report(`sent as ${type}`);
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const described = form.get('metadata');
  const metadata: unknown = JSON.parse(
    described instanceof Blob ? await described.text() : (described ?? ''),
  );
  if (!isValid(Metadata, metadata)) {
    report(`metadata ${firstProblem(Metadata, metadata)}`);
    return { status: 400, code: 10021, message: 'Invalid metadata.' };
  }
  const main = form.get(metadata.main_module);
  if (!(main instanceof File) || main.type !== 'application/javascript+module') {
    report('its main module is missing, or is no module');
    return { status: 400, code: 10021, message: 'No such module.' };
  }
  const known = scripts.find((one) => one.name === name);
  const { migrations } = metadata;
  if (migrations && migrations.old_tag !== known?.migrationTag)
    return { status: 412, code: 10079, message: 'Migration tag precondition failed.' };
  if (!migrations && !known)
    return { status: 400, code: 10061, message: 'Cannot create a binding for a class that is not exported.' };
  const script = {
    name,
    module: await main.text(),
    bindings: metadata.bindings,
    compatibilityDate: metadata.compatibility_date,
    migrationTag: migrations?.new_tag ?? known?.migrationTag ?? '',
    sqliteClasses: migrations?.new_sqlite_classes ?? known?.sqliteClasses ?? [],
  };
  if (known) Object.assign(known, script);
  else scripts.push(script);
  return { result: { id: name, etag: 'etag', startup_time_ms: 1 } };
}
