import { html, type Html } from '../http/html.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';

/** What a reader may reply to. */
interface Answerable {
  /** The URL of the post's page. */
  readonly address: string;
  readonly title: string;
  /** The email address that the owner published for replies; empty if there is none. */
  readonly email: string;
}

/**
 * Returns the ways to reply to a post: on the reader's own site, of which this site learns by a webmention, and by email.
 * The form needs no script, and the mailbox takes it while the owner's computer sleeps.
 */
export function replyMarkup({ address, title, email }: Answerable): Html {
  return html`<section class="reply" aria-label="Reply">
    <details><summary>Reply on your own site</summary>
      <form method="post" action="/webmention" class="fields">
        <p>Write a post on your site that links to this page. Many sites then notify this one automatically. If yours doesn’t, enter the address of your post here.</p>
        <input type="hidden" name="target" value="${address}">
        <label for="reply-source">Address of your post</label>
        <input id="reply-source" name="source" type="url" required maxlength="2048" placeholder="https://">
        <button>Send</button>
      </form>
    </details>
    ${email !== '' && html`<p><a href="${mailTo(email, `Re: ${excerpt(title, 100)}`)}">Reply by email</a></p>`}
  </section>`;
}

const mailTo = (email: string, subject: string): string =>
  `mailto:${encodeURIComponent(email).replace('%40', '@')}?subject=${encodeURIComponent(subject.replace(/\p{Surrogate}/gu, ''))}`;
