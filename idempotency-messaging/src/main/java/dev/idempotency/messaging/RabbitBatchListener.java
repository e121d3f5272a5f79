/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.idempotency.messaging;

import java.util.ArrayList;
import java.util.List;

import com.rabbitmq.client.Channel;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;

import dev.idempotency.engine.RequestBatch.RefusedRequestException;

/**
 * Protects a listener that gets messages in batches. One message that fails does not
 * discard the others.
 * <ol>
 * <li>The messages are executed in parts, each with a commit: at most as many as one
 * transaction can claim.</li>
 * <li>A message that cannot be keyed or claimed is left out.</li>
 * <li>If the listener fails, its part is rolled back, and each message is executed alone,
 * as it was delivered.</li>
 * <li>The container gets the first failure, after all messages were tried: it returns or
 * rejects all of them, and those that were executed are skipped if they come again.</li>
 * </ol>
 */
record RabbitBatchListener(ChannelAwareBatchMessageListener delegate, InboxListener listener, Inbox inbox,
		RabbitInbox.Fragments fragments) implements ChannelAwareBatchMessageListener {

	@Override
	public void containerAckMode(AcknowledgeMode mode) {
		this.delegate.containerAckMode(mode);
	}

	@Override
	public boolean isAsyncReplies() {
		return this.delegate.isAsyncReplies();
	}

	/**
	 * A container that does not collect messages leaves it to its listener to take apart
	 * those that were sent as one.
	 */
	@Override
	public void onMessage(Message message, @Nullable Channel channel) {
		onMessageBatch(List.of(message), channel);
	}

	@Override
	public void onMessageBatch(List<Message> received, @Nullable Channel channel) {
		List<Message> messages = this.fragments.of(received);
		List<RuntimeException> failures = new ArrayList<>();
		int size = this.inbox.maxBatch();
		for (int from = 0; from < messages.size(); from += size) {
			execute(messages.subList(from, Math.min(messages.size(), from + size)), failures);
		}
		if (!failures.isEmpty()) {
			throw failures.get(0);
		}
	}

	private void execute(List<Message> messages, List<RuntimeException> failures) {
		List<Message> given = new ArrayList<>();
		try {
			deliver(messages, given);
		}
		catch (RefusedRequestException ex) {
			failures.add(ex.reason());
			List<Message> others = new ArrayList<>(messages);
			others.remove(ex.index());
			execute(others, failures);
		}
		catch (RuntimeException ex) {
			if (given.size() < 2) {
				failures.add(ex);
			}
			else {
				messages.forEach((message) -> execute(List.of(message), failures));
			}
		}
	}

	private void deliver(List<Message> messages, List<Message> given) {
		this.inbox.deliverAll(this.listener, messages, RabbitInbox::read, (fresh) -> {
			given.addAll(fresh);
			// On a channel, a message that cannot be converted would be rejected while
			// the others are executed.
			this.delegate.onMessageBatch(fresh.stream().map(RabbitInbox::copy).toList(), null);
		});
	}

}
