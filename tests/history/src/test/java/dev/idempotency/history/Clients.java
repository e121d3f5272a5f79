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
package dev.idempotency.history;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.idempotency.history.History.Answered;
import dev.idempotency.history.History.Sent;
import dev.idempotency.history.History.Unanswered;
import dev.idempotency.history.Order.Operation;
import dev.idempotency.history.Order.Outcome;
import dev.idempotency.history.Provider.Reaction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Clients that send orders, each to any node, and again until they have a final answer.
 * An order has one to three clients that begin at about the same time, and sometimes one
 * with another body.
 */
final class Clients implements AutoCloseable {

	static final String USER = "alice";

	static final String CREDENTIALS = "Basic "
			+ Base64.getEncoder().encodeToString((USER + ":" + USER).getBytes(StandardCharsets.UTF_8));

	private static final JsonMapper JSON = new JsonMapper();

	/**
	 * Shorter than a lease, so that clients come back while their requests are still
	 * running.
	 */
	private static final Duration TIMEOUT = Duration.ofMillis(Node.LEASE * 5 / 6);

	private static final Duration PATIENT_TIMEOUT = Duration.ofSeconds(15);

	/** The greatest number of clients at once. */
	private static final int AT_ONCE = 20;

	/** The number of attempts after which a client comes back only when all is quiet. */
	private static final int PATIENCE = 8;

	/**
	 * The number of refusals since the last fault after which a client gets no final
	 * answer any more. It does not depend on how fast the machine is, as a time would.
	 */
	private static final int HOPELESS = 200;

	private static final String OWN = "A";

	private static final String OTHER = "B";

	private final History history;

	private final List<Node> nodes;

	private final Provider provider;

	private final Random random;

	private final HttpClient http = HttpClient.newHttpClient();

	private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);

	private final Semaphore free = new Semaphore(AT_ONCE);

	private final AtomicInteger number = new AtomicInteger();

	private final AtomicInteger clients = new AtomicInteger();

	private final Map<String, Order> orders = new ConcurrentHashMap<>();

	private final Set<Client> waiting = ConcurrentHashMap.newKeySet();

	private final Queue<Client> gone = new ConcurrentLinkedQueue<>();

	private volatile @Nullable Thread generator;

	private volatile boolean impatient;

	private volatile boolean quiet;

	Clients(History history, List<Node> nodes, Provider provider, long seed) {
		this.history = history;
		this.nodes = nodes;
		this.provider = provider;
		this.random = new Random(seed);
	}

	Collection<Order> orders() {
		return this.orders.values();
	}

	/**
	 * Sends an order of each kind that has a lease, whose handlers are held.
	 */
	List<Order> sendHeld() {
		List<Operation> leased = Stream.of(Operation.values()).filter(Operation::isLeased).toList();
		return IntStream.range(0, leased.size())
			.mapToObj((i) -> sendHeld(leased.get(i), this.nodes.get(i % this.nodes.size()), this.random))
			.toList();
	}

	/**
	 * Sends an order to a node that holds its handler, by a client that waits for it.
	 */
	Order sendHeld(Operation operation, Node node, Random choice) {
		Order order = add(operation, List.of(Outcome.CREATED), 0, 0, List.of(), node.name());
		this.provider.script(order.key(), List.of(Reaction.CHARGED));
		send(order, node, choice);
		return order;
	}

	/**
	 * Sends an order to a node, by one more client.
	 */
	void send(Order order, Node node, Random choice) {
		begin(new Client(order, node, new Random(choice.nextLong())), 0);
	}

	/**
	 * Sends random orders from now on.
	 */
	void start() {
		Thread thread = new Thread(() -> {
			while (!this.quiet) {
				sendOne();
			}
		}, "orders");
		this.generator = thread;
		this.impatient = true;
		thread.start();
	}

	private void sendOne() {
		Operation operation = Operation.values()[this.random.nextInt(Operation.values().length)];
		List<Outcome> script = switch (this.random.nextInt(10)) {
			case 0, 1 -> List.of(Outcome.UNAVAILABLE, Outcome.CREATED);
			case 2 -> List.of(Outcome.FAILED, Outcome.UNAVAILABLE, Outcome.CREATED);
			case 3 -> List.of(Outcome.DECLINED);
			case 4 -> List.of(Outcome.UNAVAILABLE, Outcome.REFUSED);
			default -> List.of(Outcome.CREATED);
		};
		List<Integer> accounts = this.random.ints(0, Order.ACCOUNTS)
			.distinct()
			.limit(this.random.nextInt(3))
			.boxed()
			.toList();
		Order order = add(operation, script, time(), time(), accounts, "");
		boolean succeeds = script.get(script.size() - 1) == Outcome.CREATED;
		this.provider.script(order.key(), reactions(succeeds));
		int clients = Math.max(1, this.random.nextInt(5) - 1);
		begin(order, clients, 400);
		// The refusal of a service is not stored, so that its body is not compared.
		if (this.random.nextInt(6) == 0 && (succeeds || operation != Operation.SERVICE)) {
			begin(order.withVariant(OTHER), 1, 400);
		}
	}

	private List<Reaction> reactions(boolean succeeds) {
		if (!succeeds) {
			return List.of(Reaction.UNAVAILABLE, Reaction.DECLINED);
		}
		return switch (this.random.nextInt(4)) {
			case 0 -> List.of(Reaction.UNAVAILABLE, Reaction.CHARGED);
			case 1 -> List.of(Reaction.CHARGED_AND_SILENT, Reaction.UNAVAILABLE, Reaction.CHARGED);
			default -> List.of(Reaction.CHARGED);
		};
	}

	private int time() {
		return (this.random.nextInt(3) == 0) ? this.random.nextInt(900) : this.random.nextInt(50);
	}

	private Order add(Operation operation, List<Outcome> script, int before, int after, List<Integer> accounts,
			String heldAt) {
		Order order = new Order(operation.path() + "-" + this.number.getAndIncrement(), OWN, script, before, after,
				accounts, heldAt);
		this.orders.put(order.key(), order);
		return order;
	}

	/**
	 * Begins with the clients of an order, each after a random pause.
	 */
	private void begin(Order order, int count, int pause) {
		for (int i = 0; i < count; i++) {
			begin(new Client(order, null, new Random(this.random.nextLong())), this.random.nextInt(pause));
		}
	}

	private void begin(Client client, int pause) {
		this.free.acquireUninterruptibly();
		this.waiting.add(client);
		client.sendAfter(pause);
	}

	/**
	 * Sends no more orders. Clients that had given up come back.
	 */
	void calmDown() throws InterruptedException {
		this.quiet = true;
		this.impatient = false;
		Thread thread = this.generator;
		if (thread != null) {
			thread.join();
		}
		for (Client client = this.gone.poll(); client != null; client = this.gone.poll()) {
			begin(client, 0);
		}
	}

	/**
	 * The keys of orders with clients that have no final answer.
	 */
	Set<String> unanswered() {
		Set<String> keys = new HashSet<>();
		this.waiting.forEach((client) -> keys.add(client.order.key()));
		return keys;
	}

	boolean isWaiting(Order order) {
		return unanswered().contains(order.key());
	}

	/**
	 * Sends each order with an outcome once more, with the body of the outcome.
	 */
	void sendAllAgain() {
		Map<String, String> variants = new ConcurrentHashMap<>();
		this.history.events().forEach((event) -> {
			if (event.what() instanceof Answered answer && answer.isOutcome()) {
				variants.putIfAbsent(event.key(), answer.sent().variant());
			}
		});
		List<String> keys = new ArrayList<>(variants.keySet());
		keys.sort(null);
		keys.forEach((key) -> begin(this.orders.get(key).withVariant(variants.get(key)), 1, 1));
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

	/**
	 * One client of an order.
	 */
	private final class Client {

		private final Order order;

		private final int number = Clients.this.clients.getAndIncrement();

		private final @Nullable Node first;

		private final Random choice;

		private final AtomicInteger attempts = new AtomicInteger();

		/** The number of answers since the last fault that were not final. */
		private final AtomicInteger refusals = new AtomicInteger();

		Client(Order order, @Nullable Node first, Random choice) {
			this.order = order;
			this.first = first;
			this.choice = choice;
		}

		void sendAfter(int milliseconds) {
			if (!Clients.this.timer.isShutdown()) {
				Clients.this.timer.schedule(this::send, milliseconds, TimeUnit.MILLISECONDS);
			}
		}

		private void send() {
			boolean directed = this.first != null && this.attempts.get() == 0;
			Node node = directed ? this.first : Clients.this.nodes.get(this.choice.nextInt(Clients.this.nodes.size()));
			boolean patient = directed || !Clients.this.impatient;
			String key = this.order.key();
			Sent sent = new Sent(this.number, this.order.variant(), this.attempts.getAndIncrement(), node.name());
			long position = Clients.this.history.add(key, sent);
			Clients.this.http.sendAsync(request(node.uri(), sent, patient), BodyHandlers.ofString())
				.whenComplete((response, failure) -> {
					if (failure != null) {
						Clients.this.history.add(key, new Unanswered(position, sent, reason(failure)));
						goOn();
					}
					else if (record(key, position, sent, response).isFinal()) {
						end();
					}
					else {
						if (Clients.this.quiet) {
							this.refusals.incrementAndGet();
						}
						goOn();
					}
				});
		}

		private HttpRequest request(URI node, Sent sent, boolean patient) {
			return HttpRequest.newBuilder(node.resolve(Operation.of(this.order.key()).path()))
				.timeout(patient ? PATIENT_TIMEOUT : TIMEOUT)
				.header("Authorization", CREDENTIALS)
				.header("Content-Type", "application/json")
				.header("Idempotency-Key", this.order.key())
				.header(NodeApplication.ATTEMPT, String.valueOf(sent.attempt()))
				.POST(BodyPublishers.ofString(JSON.writeValueAsString(this.order)))
				.build();
		}

		private Answered record(String key, long position, Sent sent, HttpResponse<String> response) {
			boolean replayed = response.headers().firstValue("Idempotent-Replayed").isPresent();
			Answered answer = new Answered(position, sent, response.statusCode(), replayed, response.body());
			Clients.this.history.add(key, answer);
			return answer;
		}

		private static String reason(Throwable failure) {
			Throwable cause = (failure.getCause() != null) ? failure.getCause() : failure;
			return cause.getClass().getSimpleName() + ": " + cause.getMessage();
		}

		private void goOn() {
			if (Clients.this.impatient && this.attempts.get() >= PATIENCE) {
				Clients.this.gone.add(this);
				end();
			}
			else if (this.refusals.get() >= HOPELESS) {
				end();
			}
			else {
				sendAfter(100 + this.choice.nextInt(300));
			}
		}

		private void end() {
			Clients.this.waiting.remove(this);
			Clients.this.free.release();
		}

	}

}
