import { PorchlightError } from '../../src-main/contract/error.ts';
import { resultOf } from '../../src-main/contract/reply.ts';
import type { Files } from './client.ts';

/** Returns the transfer of files for the page in a browser. `base`: the console's address, with a slash at the end. */
export function httpFiles({ ownerKey, base }: { ownerKey: string; base: string }): Files {
  return {
    // fetch can't report how much of a body was sent.
    upload: ({ file, onProgress, signal }) =>
      new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        const failed = (code: 'cancelled' | 'unreachable', message: string) =>
          reject(new PorchlightError(code, message));
        request.open('POST', `${base}api/upload?name=${encodeURIComponent(file.name.slice(-500))}`);
        request.setRequestHeader('Authorization', `Bearer ${ownerKey}`);
        request.setRequestHeader('Content-Type', 'application/octet-stream');
        request.upload.onprogress = ({ loaded }) => onProgress(loaded);
        request.onerror = () => failed('unreachable', 'The upload was interrupted. Try again.');
        request.onabort = () => failed('cancelled', 'The upload was cancelled.');
        request.onload = () => resolve(Promise.resolve(request.responseText).then(pathIn));
        signal.addEventListener('abort', () => request.abort(), { once: true });
        request.send(file);
      }),

    download({ id, name }) {
      const link = document.createElement('a');
      link.href = `${base}api/download/${encodeURIComponent(id)}`;
      link.download = name;
      link.click();
    },
  };
}

function pathIn(text: string): string {
  let reply: unknown;
  try {
    reply = JSON.parse(text);
  } catch {
    reply = undefined;
  }
  const result: unknown = resultOf(reply);
  if (typeof result === 'object' && result !== null && 'path' in result && typeof result.path === 'string')
    return result.path;
  throw new PorchlightError('server_error', 'Porchlight sent an unreadable reply. Try again.');
}
