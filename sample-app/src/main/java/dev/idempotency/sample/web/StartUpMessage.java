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
package dev.idempotency.sample.web;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Prints the address of the application and the commands to try.
 */
@Component
class StartUpMessage {

	private static final Log logger = LogFactory.getLog(StartUpMessage.class);

	@EventListener
	void ready(ApplicationReadyEvent event) {
		String address = "http://localhost:"
				+ event.getApplicationContext().getEnvironment().getProperty("local.server.port");
		logger.info("Rocket Rides is at " + address + " - send this twice: curl -i -u alice:alice "
				+ "-H 'Idempotency-Key: k1' -d '{\"amountCents\":5000,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}' "
				+ address + "/payments");
	}

}
