import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef, type ReactElement } from 'react';
import { renderSVG } from 'uqr';
import type { Phone } from '../../../../src-main/contract/phones.ts';
import { useAction, useClient } from '../../../client/queries.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Foreign } from '../../../ui/foreign.tsx';
import { useReturnFocus } from '../../../ui/return-focus.ts';
import { ErrorNote, Loading } from '../../../ui/states.tsx';
import { SteadyButton } from '../../../ui/steady-button.tsx';
import { commonWords } from '../../../ui/words.ts';
import { pairingWords as words } from './words.ts';

interface Props {
  readonly phones: readonly Phone[];
  readonly onClose: () => void;
}

/**
 * Shows the QR code that pairs a phone, and then the code to compare. The desktop app asks in a native dialog, so that
 * nothing in this window can pair a phone.
 */
export function PairingDialog({ phones, onClose }: Props): ReactElement {
  useReturnFocus();
  const { home } = useClient();
  const begin = useAction('phones.pair');
  const confirm = useAction('phones.confirm');
  const cancel = useAction('phones.remove');
  const { mutate } = begin;
  const hasBegun = useRef(false);
  useEffect(() => {
    if (!hasBegun.current) mutate({});
    hasBegun.current = true;
  }, [mutate]);
  const phone = phones.find(({ id }) => id === begin.data?.id);
  const close = () => {
    if (phone?.code !== undefined) cancel.mutate({ id: phone.id });
    onClose();
  };
  const isDone = phone !== undefined && phone.code === undefined;
  return (
    <Modal
      opened
      centered
      title={words.title}
      onClose={close}
      closeButtonProps={{ 'aria-label': commonWords.close }}
      closeOnClickOutside={false}
    >
      <Stack role="status">
        {begin.isPending && <Loading what={words.begin} />}
        <ErrorNote error={begin.error ?? confirm.error} />
        {begin.data && phone === undefined && <Scan url={begin.data.url} />}
        {phone?.code !== undefined && <Compare phone={phone} code={phone.code} />}
        {isDone && (
          <Text>
            <Foreign text={words.ready(phone.name)} />
          </Text>
        )}
      </Stack>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close} data-autofocus>
          {isDone ? words.done : commonWords.cancel}
        </Button>
        {phone?.code !== undefined && home !== 'desktop' && (
          <SteadyButton
            color="amber.5"
            loading={confirm.isPending}
            onClick={() => confirm.mutate({ id: phone.id })}
          >
            {words.confirm}
          </SteadyButton>
        )}
      </Group>
      {phone?.code !== undefined && home === 'desktop' && <Text size="sm">{words.answer}</Text>}
    </Modal>
  );
}

function Scan({ url }: { url: string }): ReactElement {
  const picture = `data:image/svg+xml,${encodeURIComponent(renderSVG(url, { border: 2 }))}`;
  return (
    <>
      <Text>{words.scan}</Text>
      <img src={picture} alt={words.picture} width={240} height={240} style={{ alignSelf: 'center' }} />
      <CodeBlock text={url} what={words.link} />
    </>
  );
}

function Compare({ phone, code }: { phone: Phone; code: string }): ReactElement {
  return (
    <>
      <Text>
        <Foreign text={words.arrived(phone.name)} /> {words.compare}
      </Text>
      <Text fz={40} fw={700} ta="center" ff="monospace">
        {code.slice(0, 3)} {code.slice(3)}
      </Text>
      <Text size="sm">{words.stranger}</Text>
    </>
  );
}
