import { notifications } from '@mantine/notifications';
import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useAction } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Address } from '../../ui/foreign.tsx';
import { hostOf } from '../../ui/plain-text.ts';

/** Asks before a site is blocked, and says what that means. */
export function BlockSite({
  mention,
  onClose,
}: {
  mention: MentionRecord;
  onClose: () => void;
}): ReactElement {
  const block = useAction('webmentions.blockDomain');
  const domain = URL.canParse(mention.source) ? new URL(mention.source).hostname : mention.source;
  const original = hostOf(mention.url ?? mention.author?.url ?? '');
  const passedOn = original !== '' && original !== hostOf(mention.source);
  return (
    <Confirm
      title={
        <>
          Block <Address url={domain} />?
        </>
      }
      action="Block this site"
      busy={block.isPending}
      error={block.error}
      onClose={onClose}
      onConfirm={() =>
        block.mutate(
          { domain },
          {
            onSuccess: () => {
              notifications.show({
                message: `${domain} is blocked. Settings has the list of blocked sites.`,
              });
              onClose();
            },
          },
        )
      }
    >
      Porchlight takes no more mentions from <Address url={domain} />, nor from any site whose name ends with
      it. What is here from there stays; hide or delete it as you like.
      {passedOn && (
        <> This one was only passed on by that site: everything else that it passes on would stay out too.</>
      )}{' '}
      You can unblock it under Settings.
    </Confirm>
  );
}
