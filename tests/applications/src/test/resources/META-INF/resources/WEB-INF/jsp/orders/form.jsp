<%@ page contentType="text/html;charset=UTF-8" %>
<%@ taglib prefix="form" uri="http://www.springframework.org/tags/form" %>
<!DOCTYPE html>
<html lang="en">
<head><title>Order</title></head>
<body>
<form:form id="order" method="post" action="/orders/new" modelAttribute="order">
<form:input path="item"/>
<form:errors path="item" cssClass="error"/>
<form:button>Order</form:button>
</form:form>
<form:form id="relative" method="post" action="new" modelAttribute="order"><form:button>Order</form:button></form:form>
<form:form id="here" method="post" modelAttribute="order"><form:button>Order</form:button></form:form>
<form:form id="search" method="post" action="/orders/search" modelAttribute="order"><form:button>Search</form:button></form:form>
<form:form id="filter" method="get" action="/orders/new" modelAttribute="order"><form:button>Filter</form:button></form:form>
</body>
</html>
