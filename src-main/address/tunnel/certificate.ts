import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { errorCode } from '../../storage/storage-error.ts';

/** The maximum size of the file with a certificate, in bytes. A bundle of all usual certificates has 200 KB. */
const mostCertificateBytes = 1_000_000;

/**
 * Returns why cloudflared can't use a file as its certificate, as a message for the owner; null if it can. `path`: the
 * full path of a PEM file; empty if there is none.
 */
export async function certificateProblem(path: string): Promise<string | null> {
  if (path === '') return null;
  const words = `“${path}” isn’t a certificate that cloudflared can use. It must be a PEM file, which begins with “-----BEGIN CERTIFICATE-----”.`;
  try {
    if (!isAbsolute(path)) return words;
    const found = await stat(path);
    // Reading something else than a file, such as a pipe, might never end.
    if (!found.isFile() || found.size > mostCertificateBytes) return words;
    // Throws if the file doesn't begin with a certificate.
    void new X509Certificate(await readFile(path));
    return null;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT')
      return `There is no file “${path}”, which should contain the certificate for cloudflared.`;
    return code === 'EACCES' || code === 'EPERM'
      ? `Porchlight may not read “${path}”, the file with the certificate for cloudflared.`
      : words;
  }
}
